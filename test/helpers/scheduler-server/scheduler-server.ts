import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { Alarm } from '../../../local/alarm.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import { type Schedule, ScheduleBook } from './schedule-book.ts';
import { readGroupName, readSchedule } from './schedule-request.ts';
import { SchedulerError, type SchedulerErrorName } from './scheduler-error.ts';

/** Done, but the answer gets lost; or refused with an error of the service. */
export type Fault = 'lost answer' | SchedulerErrorName;

export interface SchedulerServerOptions {
  readonly clock: Clock;
  readonly sqs: SQSClient;
  readonly queueUrl: (arn: string) => string;
  /** How long after its time a schedule fires; the service takes up to a minute. */
  readonly lateMs?: () => number;
  /** How often it sends its message; the service promises once at least. */
  readonly copies?: () => number;
  /** Whether its role lets a schedule send; what may not is lost. */
  readonly mayFire?: (schedule: Schedule) => Promise<boolean>;
  readonly fault?: (operation: Operation) => Fault | null | Promise<null>;
}

export type Operation =
  | 'CreateSchedule'
  | 'GetSchedule'
  | 'UpdateSchedule'
  | 'DeleteSchedule'
  | 'ListSchedules'
  | 'CreateScheduleGroup'
  | 'GetScheduleGroup'
  | 'DeleteScheduleGroup'
  | 'ListScheduleGroups';

const OPERATIONS: Readonly<Record<string, Operation>> = {
  'POST /schedules/*': 'CreateSchedule',
  'GET /schedules/*': 'GetSchedule',
  'PUT /schedules/*': 'UpdateSchedule',
  'DELETE /schedules/*': 'DeleteSchedule',
  'GET /schedules': 'ListSchedules',
  'POST /schedule-groups/*': 'CreateScheduleGroup',
  'GET /schedule-groups/*': 'GetScheduleGroup',
  'DELETE /schedule-groups/*': 'DeleteScheduleGroup',
  'GET /schedule-groups': 'ListScheduleGroups',
};

export interface SchedulerServer {
  readonly endpoint: string;
  readonly book: ScheduleBook;
  /** The calls so far, by name. */
  readonly calls: readonly Operation[];
  /** Answers when everything that was due has been sent. */
  idle(): Promise<void>;
  stop(): Promise<void>;
}

/** EventBridge Scheduler as far as one-time schedules with SQS targets go: its REST calls, and it really sends. */
export async function startSchedulerServer(options: SchedulerServerOptions): Promise<SchedulerServer> {
  const { clock } = options;
  const book = new ScheduleBook(() => clock.now());
  const calls: Operation[] = [];
  const firing = new Set<Promise<void>>();
  const alarm = new Alarm(clock, () => {
    for (const schedule of book.takeDue()) {
      const fired = fire(options, schedule).finally(() => firing.delete(fired));
      firing.add(fired);
    }
    alarm.set(book.nextDueAt());
  });
  const server = createServer((request, response) => {
    void (async () => {
      const body = await readBody(request);
      const operation = operationOf(request);
      if (operation !== null) calls.push(operation);
      const fault = operation === null ? null : ((await options.fault?.(operation)) ?? null);
      const { status, headers, text } = answer(book, request, operation, body, fault);
      alarm.set(book.nextDueAt());
      if (fault === 'lost answer') return request.socket.destroy();
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text);
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    book,
    calls,
    async idle() {
      while (firing.size > 0) await Promise.all(firing);
    },
    async stop() {
      alarm.set(null);
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function fire(options: SchedulerServerOptions, schedule: Schedule): Promise<void> {
  const { clock, sqs, queueUrl, lateMs = () => 0, copies = () => 1 } = options;
  const { Target } = schedule;
  if ((await options.mayFire?.(schedule)) === false) return;
  for (let copy = copies(); copy > 0; copy -= 1) {
    await clock.sleep(lateMs());
    const message = { QueueUrl: queueUrl(Target.Arn), MessageBody: Target.Input ?? '{}' };
    await sqs.send(new SendMessageCommand({ ...message, ...Target.SqsParameters }));
  }
}

interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly text: string;
}

function answer(
  book: ScheduleBook,
  request: IncomingMessage,
  operation: Operation | null,
  body: string,
  fault: Fault | null,
): Answer {
  try {
    if (operation === null) throw new SchedulerError('ValidationException', `No such call: ${request.url}`);
    if (fault !== null && fault !== 'lost answer') throw new SchedulerError(fault, 'as ordered');
    const url = new URL(request.url ?? '/', 'http://local');
    const name = decodeURIComponent(url.pathname.split('/')[2] ?? '');
    const result = perform(book, operation, name, url.searchParams, body === '' ? {} : (JSON.parse(body) as object));
    return { status: 200, text: JSON.stringify(result) };
  } catch (error) {
    if (!(error instanceof SchedulerError)) return { status: 500, text: JSON.stringify({ Message: String(error) }) };
    const headers = { 'x-amzn-errortype': error.name };
    return { status: error.status, headers, text: JSON.stringify({ Message: error.message }) };
  }
}

function perform(
  book: ScheduleBook,
  operation: Operation,
  name: string,
  query: URLSearchParams,
  body: object,
): Readonly<Record<string, unknown>> {
  const group = query.get('groupName') ?? 'default';
  switch (operation) {
    case 'CreateSchedule':
      return { ScheduleArn: book.create(readSchedule(name, body)).Arn };
    case 'UpdateSchedule':
      return { ScheduleArn: book.update(readSchedule(name, body)).Arn };
    case 'GetSchedule':
      return { ...book.get(group, name) };
    case 'DeleteSchedule':
      book.delete(group, name);
      return {};
    case 'ListSchedules': {
      const { schedules, next } = book.list({
        group: query.get('ScheduleGroup') ?? undefined,
        prefix: query.get('NamePrefix') ?? undefined,
        state: query.get('State') ?? undefined,
        after: query.get('NextToken') ?? undefined,
        max: query.has('MaxResults') ? Number(query.get('MaxResults')) : undefined,
      });
      const summaries = schedules.map(({ Target, ...schedule }) => ({ ...schedule, Target: { Arn: Target.Arn } }));
      return { Schedules: summaries, ...(next === null ? {} : { NextToken: next }) };
    }
    case 'CreateScheduleGroup':
      return { ScheduleGroupArn: book.createGroup(readGroupName(name)) };
    case 'GetScheduleGroup':
      return { ...book.getGroup(name) };
    case 'DeleteScheduleGroup':
      book.deleteGroup(name);
      return {};
    case 'ListScheduleGroups':
      return { ScheduleGroups: book.listGroups() };
  }
}

function operationOf({ method = 'GET', url = '/' }: IncomingMessage): Operation | null {
  const [, kind = '', name] = (url.split('?')[0] ?? '').split('/');
  return OPERATIONS[`${method} /${kind}${name === undefined ? '' : '/*'}`] ?? null;
}

async function readBody(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString('utf8');
}
