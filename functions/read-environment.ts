import * as z from 'zod';
import { CONTROL_QUEUE, deadLetterQueue, deadLettersOf } from '../shared/ports/queue.ts';
import { DEFAULT_CONFIG, type EngineConfig } from '../shared/store/engine.ts';

/** Beside every queue, under its name with this behind it. */
export const DEAD_SUFFIX = '-dead';

const queueName = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,75}$/, { error: 'is no name of a queue: 1 to 75 letters, digits, hyphens and underscores' });
const arn = (service: string) =>
  z.string().regex(new RegExp(`^arn:[a-z-]+:${service}:[^:]*:\\d{12}:.+$`), { error: `is no ARN of ${service}` });

const taskQueues = z
  .string()
  .transform((text, context) => {
    try {
      return JSON.parse(text) as unknown;
    } catch {
      context.addIssue('is no JSON');
      return z.NEVER;
    }
  })
  .pipe(z.record(z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/), queueName))
  .refine((queues) => Object.keys(queues).length > 0, 'names no task queue');

const whole = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, { error: 'is no whole number' })
    .transform(Number)
    .pipe(z.int().min(min).max(max));
const seconds = (min: number, max: number) => whole(min, max).transform((secs) => secs * 1000);
const PAYLOAD_LIMIT = 2 * 1024 * 1024;

/** What the stack tells its functions. The settings of the engine are called as those of the one-machine server. */
const environmentSchema = z
  .object({
    KAGZI_ENVIRONMENT: z.string().regex(/^[a-z0-9][a-z0-9-]{0,31}$/, { error: 'is no name of an environment' }),
    KAGZI_TABLE: z.string().min(3).max(255),
    KAGZI_BUCKET: z.string().min(3).max(63),
    KAGZI_QUEUE_BASE_URL: z.url().endsWith('/', { error: 'does not end with a slash' }),
    KAGZI_TASK_QUEUES: taskQueues,
    KAGZI_CONTROL_QUEUE_ARN: arn('sqs'),
    KAGZI_SCHEDULE_GROUP: z.string().regex(/^[0-9a-zA-Z-_.]{1,64}$/, { error: 'is no name of a schedule group' }),
    KAGZI_SCHEDULE_ROLE_ARN: arn('iam'),
    KAGZI_LOG_LEVEL: z.enum(['debug', 'info', 'warn', 'error']).default('info'),
    KAGZI_LEASE_SECS: seconds(2, 3600).default(DEFAULT_CONFIG.leaseMs),
    KAGZI_WORKER_HEARTBEAT_INTERVAL_SECS: seconds(1, 1800).default(DEFAULT_CONFIG.heartbeatMs),
    KAGZI_WATCHDOG_WORKER_STALE_THRESHOLD_SECS: seconds(2, 3600).default(DEFAULT_CONFIG.workerStaleMs),
    KAGZI_WORKER_POLL_TIMEOUT_SECS: seconds(1, 20).default(DEFAULT_CONFIG.pollTimeoutMs),
    KAGZI_RETENTION_DAYS: whole(1, 3650)
      .transform((days) => days * 86_400_000)
      .default(DEFAULT_CONFIG.retentionMs),
    KAGZI_PAYLOAD_MAX_SIZE_BYTES: whole(1024, PAYLOAD_LIMIT).default(DEFAULT_CONFIG.payloadMaxBytes),
    KAGZI_PAYLOAD_WARN_THRESHOLD_BYTES: whole(1, PAYLOAD_LIMIT).default(DEFAULT_CONFIG.payloadWarnBytes),
    KAGZI_WATCHDOG_BATCH_SIZE: whole(1, 1000).default(DEFAULT_CONFIG.watchdogBatch),
    KAGZI_SCHEDULER_MAX_WORKFLOWS_PER_TICK: whole(1, 10_000).default(DEFAULT_CONFIG.firesPerTick),
    KAGZI_DUE_SHARDS: whole(1, 1000).default(DEFAULT_CONFIG.dueShards),
    KAGZI_LIST_SHARDS: whole(1, 1000).default(DEFAULT_CONFIG.listShards),
    /** Of a stand-in for S3, whose buckets are in the path. The SDK reads the endpoints themselves. */
    AWS_ENDPOINT_URL: z.string().optional(),
    AWS_ENDPOINT_URL_S3: z.string().optional(),
  })
  .refine((env) => env.KAGZI_WORKER_HEARTBEAT_INTERVAL_SECS < env.KAGZI_LEASE_SECS, {
    path: ['KAGZI_WORKER_HEARTBEAT_INTERVAL_SECS'],
    error: 'is not less than KAGZI_LEASE_SECS',
  })
  .refine((env) => env.KAGZI_WORKER_HEARTBEAT_INTERVAL_SECS < env.KAGZI_WATCHDOG_WORKER_STALE_THRESHOLD_SECS, {
    path: ['KAGZI_WORKER_HEARTBEAT_INTERVAL_SECS'],
    error: 'is not less than KAGZI_WATCHDOG_WORKER_STALE_THRESHOLD_SECS',
  })
  .refine((env) => new Set(physicalNames(env)).size === physicalNames(env).length, {
    path: ['KAGZI_TASK_QUEUES'],
    error: 'gives two queues, or a queue and the dead letters of another, one name',
  });

type Variables = z.output<typeof environmentSchema>;

export interface Environment {
  readonly name: string;
  readonly logLevel: Variables['KAGZI_LOG_LEVEL'];
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

/** An empty variable counts as not set. Throws one error that names everything wrong. */
export function readEnvironment(env: Readonly<Record<string, string | undefined>>): Environment {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const parsed = environmentSchema.safeParse(given);
  if (!parsed.success) {
    const problems = parsed.error.issues.map(({ code, path, message }) => {
      const isMissing = code === 'invalid_type' && path.length === 1 && given[String(path[0])] === undefined;
      return `  - ${path.join('.')}: ${isMissing ? 'is required' : message}`;
    });
    throw new EnvironmentError(['The environment is wrong:', ...problems].join('\n'));
  }
  const variables = parsed.data;
  const physical = Object.entries({ ...variables.KAGZI_TASK_QUEUES, [CONTROL_QUEUE]: controlName(variables) });
  const url = (name: string): string => variables.KAGZI_QUEUE_BASE_URL + name;
  return {
    name: variables.KAGZI_ENVIRONMENT,
    logLevel: variables.KAGZI_LOG_LEVEL,
    tableName: variables.KAGZI_TABLE,
    bucket: variables.KAGZI_BUCKET,
    bucketInPath: (variables.AWS_ENDPOINT_URL_S3 ?? variables.AWS_ENDPOINT_URL) !== undefined,
    queueUrls: new Map(
      physical.flatMap(([queue, name]) => [
        [queue, url(name)] as const,
        [deadLetterQueue(queue), url(name + DEAD_SUFFIX)] as const,
      ]),
    ),
    controlQueueArn: variables.KAGZI_CONTROL_QUEUE_ARN,
    scheduleGroup: variables.KAGZI_SCHEDULE_GROUP,
    scheduleRoleArn: variables.KAGZI_SCHEDULE_ROLE_ARN,
    config: {
      leaseMs: variables.KAGZI_LEASE_SECS,
      heartbeatMs: variables.KAGZI_WORKER_HEARTBEAT_INTERVAL_SECS,
      workerStaleMs: variables.KAGZI_WATCHDOG_WORKER_STALE_THRESHOLD_SECS,
      pollTimeoutMs: variables.KAGZI_WORKER_POLL_TIMEOUT_SECS,
      retentionMs: variables.KAGZI_RETENTION_DAYS,
      payloadMaxBytes: variables.KAGZI_PAYLOAD_MAX_SIZE_BYTES,
      payloadWarnBytes: variables.KAGZI_PAYLOAD_WARN_THRESHOLD_BYTES,
      watchdogBatch: variables.KAGZI_WATCHDOG_BATCH_SIZE,
      firesPerTick: variables.KAGZI_SCHEDULER_MAX_WORKFLOWS_PER_TICK,
      dueShards: variables.KAGZI_DUE_SHARDS,
      listShards: variables.KAGZI_LIST_SHARDS,
    },
  };
}

/** The engine's name of the queue whose dead-letter queue has this ARN. */
export function queueOfDeadLetters({ queueUrls }: Environment, arn: string): string {
  const name = arn.slice(arn.lastIndexOf(':') + 1);
  const [found] = [...queueUrls].find(([, url]) => url.endsWith(`/${name}`)) ?? [];
  const queue = found === undefined ? null : deadLettersOf(found);
  if (queue === null) throw new EnvironmentError(`${arn} is no dead-letter queue of this stack`);
  return queue;
}

interface QueueVariables {
  readonly KAGZI_TASK_QUEUES: Readonly<Record<string, string>>;
  readonly KAGZI_CONTROL_QUEUE_ARN: string;
}

const controlName = ({ KAGZI_CONTROL_QUEUE_ARN: arnOfIt }: QueueVariables): string =>
  arnOfIt.slice(arnOfIt.lastIndexOf(':') + 1);

const physicalNames = (variables: QueueVariables): readonly string[] =>
  [...Object.values(variables.KAGZI_TASK_QUEUES), controlName(variables)].flatMap((name) => [name, name + DEAD_SUFFIX]);
