import type { IncomingMessage } from 'node:http';
import { ListTablesCommand } from '@aws-sdk/client-dynamodb';
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import type { ApiEvent, ApiResult } from '../../functions/api/request-context.ts';
import { apiEvent, routeRequest } from '../../local/api-event.ts';
import { CONTROL_QUEUE, deadLetterQueue } from '../../shared/ports/queue.ts';
import { SystemClock } from '../../shared/system/system-clock.ts';
import { type EngineKind, startDynamoEngine } from './dynamo-engines.ts';
import { deliver } from './event-source.ts';
import { startFauxqs } from './fauxqs.ts';
import { startMovingTime, stopMovingTime } from './moving-time.ts';
import { type SchedulerServer, startSchedulerServer } from './scheduler-server/scheduler-server.ts';

/** Stand-ins for everything the functions reach, and the environment that makes them reach it. */
export interface Cloud {
  readonly scheduler: SchedulerServer;
  readonly env: Readonly<Record<string, string>>;
  /** One turn of the event source of a queue, by the engine's name. */
  deliver(queue: string, handler: BatchHandler, visibilityMs?: number): Promise<number>;
  stop(): Promise<void>;
}
type BatchHandler = (event: SQSEvent) => Promise<SQSBatchResponse>;

export const SCHEDULE_GROUP = 'kagzi-test';
export const MAX_RECEIVES = 3;
const ROLE = 'arn:aws:iam::000000000000:role/kagzi-timers';
export const TASK_QUEUES = ['default', 'slow'] as const;

/** Sets the environment of this process: functions are to be imported after it. Time can be moved from then on. */
export async function startCloud(kind: EngineKind): Promise<Cloud> {
  const dynamo = await startDynamoEngine(kind);
  await dynamo.openTable();
  const { TableNames: [table = ''] = [] } = await dynamo.client.send(new ListTablesCommand({}));
  const fauxqs = await startFauxqs();
  startMovingTime();
  const urls = await fauxqs.createQueues([...TASK_QUEUES, CONTROL_QUEUE], MAX_RECEIVES);
  const urlOf = (queue: string): string => {
    const url = urls.get(queue);
    if (url === undefined) throw new Error(`there is no queue ${queue}`);
    return url;
  };
  const scheduler = await startSchedulerServer({
    clock: new SystemClock(),
    sqs: fauxqs.sqs,
    queueUrl: (arn) => fauxqs.urlOf(arn),
  });
  scheduler.book.createGroup(SCHEDULE_GROUP);
  const physical = (queue: string): string => urlOf(queue).split('/').at(-1) ?? '';
  const env = {
    KAGZI_ENVIRONMENT: 'test',
    KAGZI_AUTH: 'iam',
    KAGZI_TABLE: table,
    KAGZI_BUCKET: await fauxqs.createBucket(),
    KAGZI_QUEUE_BASE_URL: urlOf('default').slice(0, urlOf('default').lastIndexOf('/') + 1),
    KAGZI_TASK_QUEUES: JSON.stringify(Object.fromEntries(TASK_QUEUES.map((queue) => [queue, physical(queue)]))),
    KAGZI_CONTROL_QUEUE_ARN: fauxqs.arnOf(urlOf(CONTROL_QUEUE)),
    KAGZI_SCHEDULE_GROUP: SCHEDULE_GROUP,
    KAGZI_SCHEDULE_ROLE_ARN: ROLE,
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    AWS_ENDPOINT_URL_DYNAMODB: dynamo.endpoint,
    AWS_ENDPOINT_URL_SQS: fauxqs.endpoint,
    AWS_ENDPOINT_URL_S3: fauxqs.endpoint,
    AWS_ENDPOINT_URL_SCHEDULER: scheduler.endpoint,
    // Lines go to this process's console, where tests can read them.
    POWERTOOLS_DEV: 'true',
    POWERTOOLS_METRICS_DISABLED: 'false',
  };
  Object.assign(process.env, env);
  return {
    scheduler,
    env,
    deliver(queue, handler, visibilityMs = 30_000) {
      const url = urlOf(queue);
      return deliver({ sqs: fauxqs.sqs, url, arn: fauxqs.arnOf(url), visibilityMs }, handler);
    },
    async stop() {
      stopMovingTime();
      for (const name of Object.keys(env)) delete process.env[name];
      await scheduler.stop();
      await fauxqs.stop();
      await dynamo.stop();
    },
  };
}

export const DEAD_DEFAULT = deadLetterQueue('default');

/** The event that API Gateway would send for a request. */
export function httpEvent(method: string, url: string, body?: unknown): ApiEvent {
  const request = { method, headers: { 'content-type': 'application/json' }, httpVersion: '1.1', socket: {} };
  const text = body === undefined ? '' : JSON.stringify(body);
  return apiEvent(request as unknown as IncomingMessage, routeRequest(method, url), text, Date.now());
}

export const bodyOf = ({ body }: ApiResult): Record<string, unknown> =>
  JSON.parse(body ?? '{}') as Record<string, unknown>;
