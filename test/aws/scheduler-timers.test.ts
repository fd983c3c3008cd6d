import type { SchedulerClient } from '@aws-sdk/client-scheduler';
import { GetScheduleCommand, ListSchedulesCommand } from '@aws-sdk/client-scheduler';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { scheduleName } from '../../shared/aws/schedule-name.ts';
import { createSchedulerClient } from '../../shared/aws/scheduler-client.ts';
import { SchedulerTimers } from '../../shared/aws/scheduler-timers.ts';
import { SqsQueue } from '../../shared/aws/sqs-queue.ts';
import { CONTROL_QUEUE } from '../../shared/ports/queue.ts';
import { SystemClock } from '../../shared/system/system-clock.ts';
import { SystemIds } from '../../shared/system/system-ids.ts';
import { type Fauxqs, startFauxqs } from '../helpers/fauxqs.ts';
import { ManualClock } from '../helpers/manual-clock.ts';
import { restless } from '../helpers/restless-clock.ts';
import {
  type Fault,
  type Operation,
  type SchedulerServer,
  startSchedulerServer,
} from '../helpers/scheduler-server/scheduler-server.ts';

const GROUP = 'kagzi-test';
const ROLE = 'arn:aws:iam::000000000000:role/kagzi-timers';
const HOUR = 3_600_000;
const MESSAGE = { body: '{"wake":1}', group: 'shop' };

let fauxqs: Fauxqs;
let clock: ManualClock;
let server: SchedulerServer;
let client: SchedulerClient;
let timers: SchedulerTimers;
let queue: SqsQueue;
let fault: (operation: Operation) => Fault | null | Promise<null>;
let behaviour: { lateMs: number; copies: number };

beforeAll(async () => {
  fauxqs = await startFauxqs();
});
afterAll(() => fauxqs.stop());
beforeEach(async () => {
  clock = new ManualClock();
  fault = () => null;
  behaviour = { lateMs: 0, copies: 1 };
  server = await startSchedulerServer({
    clock,
    sqs: fauxqs.sqs,
    queueUrl: (arn) => fauxqs.urlOf(arn),
    lateMs: () => behaviour.lateMs,
    copies: () => behaviour.copies,
    fault: (operation) => fault(operation),
  });
  server.book.createGroup(GROUP);
  client = createSchedulerClient({ endpoint: server.endpoint });
  const ids = new SystemIds();
  const urls = await fauxqs.createQueues([CONTROL_QUEUE], 3);
  queue = new SqsQueue({ client: fauxqs.sqs, urls, clock: new SystemClock(), ids });
  const queueArn = fauxqs.arnOf(urls.get(CONTROL_QUEUE) ?? '');
  timers = new SchedulerTimers({
    client,
    groupName: GROUP,
    queueArn,
    roleArn: ROLE,
    queue,
    clock: restless(clock),
    ids,
  });
});
afterEach(async () => {
  client.destroy();
  await server.stop();
});

const schedules = () => server.book.list({ group: GROUP }).schedules;
const fired = async (): Promise<readonly string[]> => {
  await server.idle();
  const deliveries = await queue.receive(CONTROL_QUEUE, { max: 10, waitMs: 0, visibilityMs: 60_000 });
  await queue.ack(CONTROL_QUEUE, deliveries);
  return deliveries.map(({ group, kind, body }) => `${group} ${kind} ${body}`);
};
/** The first calls of an operation fail so. */
const failFirst = (operation: Operation, ...faults: readonly Fault[]) => {
  const left = [...faults];
  fault = (called) => (called === operation ? (left.shift() ?? null) : null);
};

describe('a timer', () => {
  it('is a one-time schedule in the stack’s group that deletes itself', async () => {
    await timers.set('run.inc', clock.now() + HOUR + 1, MESSAGE);
    expect(await client.send(new GetScheduleCommand({ Name: 't.run.inc', GroupName: GROUP }))).toMatchObject({
      ScheduleExpression: 'at(2027-01-15T09:00:01)',
      ScheduleExpressionTimezone: 'UTC',
      ActionAfterCompletion: 'DELETE',
      FlexibleTimeWindow: { Mode: 'OFF' },
      Target: { RoleArn: ROLE },
    });
    await clock.advance(HOUR);
    expect(await fired()).toEqual([]);
    await clock.advance(1_000);
    expect(await fired()).toEqual(['shop timer {"wake":1}']);
    expect(schedules()).toEqual([]);
  });

  it('may come late and more than once', async () => {
    behaviour = { lateMs: 30_000, copies: 2 };
    await timers.set('a', clock.now() + HOUR, MESSAGE);
    await clock.advance(HOUR);
    expect(schedules()).toEqual([]);
    await clock.advance(29_999);
    await clock.advance(1);
    const firstCopy = queue.receive(CONTROL_QUEUE, { max: 1, waitMs: 5_000, visibilityMs: 60_000 });
    expect(await firstCopy).toHaveLength(1);
    await clock.advance(30_000);
    expect(await fired()).toEqual(['shop timer {"wake":1}']);
  });

  it('is not made twice when the answer to its making is lost', async () => {
    failFirst('CreateSchedule', 'lost answer');
    await timers.set('a', clock.now() + HOUR, MESSAGE);
    expect(server.calls).toEqual(['CreateSchedule', 'CreateSchedule']);
    expect(schedules()).toHaveLength(1);
  });

  it('is cancelled although the answer to it is lost', async () => {
    await timers.set('a', clock.now() + HOUR, MESSAGE);
    failFirst('DeleteSchedule', 'lost answer');
    await timers.cancel('a');
    expect(schedules()).toEqual([]);
  });

  it('is made anew if it fires just before it is changed', async () => {
    await timers.set('a', clock.now() + HOUR, MESSAGE);
    fault = (operation) => {
      if (operation === 'UpdateSchedule') server.book.delete(GROUP, 't.a');
      return null;
    };
    await timers.set('a', clock.now() + 2 * HOUR, MESSAGE);
    expect(server.calls).toEqual(['CreateSchedule', 'CreateSchedule', 'UpdateSchedule', 'CreateSchedule']);
    expect(schedules()).toMatchObject([{ ScheduleExpression: 'at(2027-01-15T10:00:00)' }]);
  });

  it('is sent at once if its time goes by on the way', async () => {
    const at = clock.now() + 500;
    fault = async () => {
      await clock.advance(1_500);
      return null;
    };
    await timers.set('a', at, MESSAGE);
    expect(await fired()).toEqual(['shop timer {"wake":1}']);
  });

  it('that is due already replaces the one that was not', async () => {
    await timers.set('a', clock.now() + HOUR, MESSAGE);
    await timers.set('a', clock.now(), { ...MESSAGE, body: '{"wake":2}' });
    expect(await fired()).toEqual(['shop timer {"wake":2}']);
    expect(schedules()).toEqual([]);
  });

  it('is tried again when it is throttled, and given up in the end', async () => {
    failFirst('CreateSchedule', 'ThrottlingException', 'InternalServerException');
    await timers.set('a', clock.now() + HOUR, MESSAGE);
    expect(schedules()).toHaveLength(1);
    fault = () => 'ThrottlingException';
    await expect(timers.set('b', clock.now() + HOUR, MESSAGE)).rejects.toMatchObject({ failure: 'unavailable' });
    await expect(timers.cancel('a')).rejects.toMatchObject({ failure: 'unavailable' });
    fault = () => 'ServiceQuotaExceededException';
    await expect(timers.set('b', clock.now() + HOUR, MESSAGE)).rejects.toMatchObject({ failure: 'unavailable' });
    fault = (operation) => (operation === 'CreateSchedule' ? 'ConflictException' : 'ResourceNotFoundException');
    await expect(timers.set('b', clock.now() + HOUR, MESSAGE)).rejects.toMatchObject({ failure: 'conflict' });
  });
});

describe('a schedule’s name', () => {
  it('shows the id where it may, and is another for every id', async () => {
    const run = '018f0000-0000-7000-8000-000000000000.AbCdEf_-12';
    expect(scheduleName(run)).toBe(`t.${run}`);
    const odd = [
      '',
      'a b',
      'é',
      'x'.repeat(63),
      'x'.repeat(200),
      'h.x',
      `h.${'x'.repeat(43)}`,
      'a#b',
      scheduleName('é'),
    ];
    const names = odd.map(scheduleName);
    expect(new Set(names).size).toBe(odd.length);
    for (const name of names) expect(name).toMatch(/^[0-9a-zA-Z-_.]{1,64}$/);
    for (const id of odd) await timers.set(id, clock.now() + HOUR, MESSAGE);
    const { Schedules = [] } = await client.send(new ListSchedulesCommand({ GroupName: GROUP }));
    expect(new Set(Schedules.map(({ Name }) => Name))).toEqual(new Set(names));
  });
});
