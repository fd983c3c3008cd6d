import { CONTROL_QUEUE, deadLetterQueue, deadLettersOf } from '../shared/ports/queue.ts';
import type { LogLevel } from '../shared/ports/telemetry.ts';
import { DEFAULT_CONFIG, type EngineConfig } from '../shared/store/engine.ts';
import { demand, matching, oneOf, type ReadVariable, Variables, whole } from './variables.ts';

/** Beside every queue, under its name with this behind it. */
export const DEAD_SUFFIX = '-dead';

const PAYLOAD_LIMIT = 2 * 1024 * 1024;
const QUEUE_NAME = /^[A-Za-z0-9_-]{1,75}$/;
const TASK_QUEUE = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;
const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const satisfies readonly LogLevel[];

const arn = (service: string): ReadVariable<string> =>
  matching(new RegExp(`^arn:[a-z-]+:${service}:[^:]*:\\d{12}:.+$`), `is no ARN of ${service}`);
const seconds = (min: number, max: number): ReadVariable<number> => whole(min, max, 1_000);

function baseUrl(text: string): string {
  demand(URL.canParse(text), 'is no URL');
  demand(text.endsWith('/'), 'does not end with a slash');
  return text;
}

function taskQueues(text: string): Readonly<Record<string, string>> {
  const queues = Object.entries(Object(parseJson(text)) as Record<string, unknown>);
  demand(queues.length > 0, 'names no task queue');
  for (const [queue, name] of queues) {
    demand(TASK_QUEUE.test(queue), `${JSON.stringify(queue)} is no task queue`);
    demand(
      typeof name === 'string' && QUEUE_NAME.test(name),
      'is no name of a queue: 1 to 75 letters, digits, hyphens and underscores',
    );
  }
  return Object.fromEntries(queues) as Record<string, string>;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    demand(false, 'is no JSON');
    return null;
  }
}

export interface Environment {
  readonly name: string;
  readonly logLevel: LogLevel;
  readonly tableName: string;
  readonly bucket: string;
  readonly bucketInPath: boolean;
  /** URLs by the engine's names of the queues. */
  readonly queueUrls: ReadonlyMap<string, string>;
  readonly controlQueueArn: string;
  readonly scheduleGroup: string;
  readonly scheduleRoleArn: string;
  readonly config: EngineConfig;
}

export class EnvironmentError extends Error {
  override readonly name = 'EnvironmentError';
}

/** What the stack tells its functions. Throws one error that names everything wrong. */
export function readEnvironment(env: Readonly<Record<string, string | undefined>>): Environment {
  const variables = new Variables(env);
  const queues = variables.require('KAGZI_TASK_QUEUES', taskQueues, {});
  const controlQueueArn = variables.require('KAGZI_CONTROL_QUEUE_ARN', arn('sqs'), '');
  const base = variables.require('KAGZI_QUEUE_BASE_URL', baseUrl, '');
  const names = { ...queues, [CONTROL_QUEUE]: controlQueueArn.slice(controlQueueArn.lastIndexOf(':') + 1) };
  const physical = Object.values(names).flatMap((name) => [name, name + DEAD_SUFFIX]);
  if (new Set(physical).size !== physical.length) {
    variables.note('KAGZI_TASK_QUEUES', 'gives two queues, or a queue and the dead letters of another, one name');
  }
  const environment: Environment = {
    name: variables.require(
      'KAGZI_ENVIRONMENT',
      matching(/^[a-z0-9][a-z0-9-]{0,31}$/, 'is no name of an environment'),
      '',
    ),
    tableName: variables.require('KAGZI_TABLE', matching(/^.{3,255}$/, 'is no name of a table'), ''),
    bucket: variables.require('KAGZI_BUCKET', matching(/^.{3,63}$/, 'is no name of a bucket'), ''),
    // Of a stand-in for S3, whose buckets are in the path. The SDK reads the endpoints themselves.
    bucketInPath: ['AWS_ENDPOINT_URL_S3', 'AWS_ENDPOINT_URL'].some((name) => (env[name] ?? '') !== ''),
    queueUrls: new Map(
      Object.entries(names).flatMap(([queue, name]) => [
        [queue, base + name] as const,
        [deadLetterQueue(queue), base + name + DEAD_SUFFIX] as const,
      ]),
    ),
    controlQueueArn,
    scheduleGroup: variables.require(
      'KAGZI_SCHEDULE_GROUP',
      matching(/^[0-9a-zA-Z-_.]{1,64}$/, 'is no name of a schedule group'),
      '',
    ),
    scheduleRoleArn: variables.require('KAGZI_SCHEDULE_ROLE_ARN', arn('iam'), ''),
    ...readSettings(variables),
  };
  refuse('The environment is wrong:', variables.problems);
  return environment;
}

/** Throws what a function would refuse of the settings that people give, or would not know. */
export function checkSettings(settings: Readonly<Record<string, string>>): void {
  const variables = new Variables(settings);
  readSettings(variables);
  for (const name of variables.unknown) variables.note(name, 'is no setting of the engine');
  refuse('The settings are wrong:', variables.problems);
}

function refuse(what: string, problems: readonly string[]): void {
  if (problems.length > 0)
    throw new EnvironmentError([what, ...problems.map((problem) => `  - ${problem}`)].join('\n'));
}

const readSettings = (variables: Variables): Pick<Environment, 'logLevel' | 'config'> => ({
  logLevel: variables.read('KAGZI_LOG_LEVEL', oneOf(LOG_LEVELS), 'info'),
  config: readConfig(variables),
});

/** The settings of the engine are called as those of the one-machine server. */
function readConfig(variables: Variables): EngineConfig {
  const of = DEFAULT_CONFIG;
  const config: EngineConfig = {
    leaseMs: variables.read('KAGZI_LEASE_SECS', seconds(2, 3600), of.leaseMs),
    heartbeatMs: variables.read('KAGZI_WORKER_HEARTBEAT_INTERVAL_SECS', seconds(1, 1800), of.heartbeatMs),
    workerStaleMs: variables.read('KAGZI_WATCHDOG_WORKER_STALE_THRESHOLD_SECS', seconds(2, 3600), of.workerStaleMs),
    pollTimeoutMs: variables.read('KAGZI_WORKER_POLL_TIMEOUT_SECS', seconds(1, 20), of.pollTimeoutMs),
    retentionMs: variables.read('KAGZI_RETENTION_DAYS', whole(1, 3650, 86_400_000), of.retentionMs),
    payloadMaxBytes: variables.read('KAGZI_PAYLOAD_MAX_SIZE_BYTES', whole(1024, PAYLOAD_LIMIT), of.payloadMaxBytes),
    payloadWarnBytes: variables.read(
      'KAGZI_PAYLOAD_WARN_THRESHOLD_BYTES',
      whole(1, PAYLOAD_LIMIT),
      of.payloadWarnBytes,
    ),
    watchdogBatch: variables.read('KAGZI_WATCHDOG_BATCH_SIZE', whole(1, 1000), of.watchdogBatch),
    firesPerTick: variables.read('KAGZI_SCHEDULER_MAX_WORKFLOWS_PER_TICK', whole(1, 10_000), of.firesPerTick),
    dueShards: variables.read('KAGZI_DUE_SHARDS', whole(1, 1000), of.dueShards),
    listShards: variables.read('KAGZI_LIST_SHARDS', whole(1, 1000), of.listShards),
  };
  const beat = 'KAGZI_WORKER_HEARTBEAT_INTERVAL_SECS';
  if (config.heartbeatMs >= config.leaseMs) variables.note(beat, 'is not less than KAGZI_LEASE_SECS');
  if (config.heartbeatMs >= config.workerStaleMs) {
    variables.note(beat, 'is not less than KAGZI_WATCHDOG_WORKER_STALE_THRESHOLD_SECS');
  }
  return config;
}

/** The engine's name of the queue whose dead-letter queue has this ARN. */
export function queueOfDeadLetters({ queueUrls }: Environment, arnOfIt: string): string {
  const name = arnOfIt.slice(arnOfIt.lastIndexOf(':') + 1);
  const [found] = [...queueUrls].find(([, url]) => url.endsWith(`/${name}`)) ?? [];
  const queue = found === undefined ? null : deadLettersOf(found);
  if (queue === null) throw new EnvironmentError(`${arnOfIt} is no dead-letter queue of this stack`);
  return queue;
}
