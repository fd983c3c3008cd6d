import { describe, expect, it } from 'vitest';
import { queueOfDeadLetters, readEnvironment } from '../../functions/read-environment.ts';
import { readEventBus } from '../../functions/run-events/read-event-bus.ts';
import { CONTROL_QUEUE } from '../../shared/ports/queue.ts';
import { DEFAULT_CONFIG } from '../../shared/store/engine.ts';

const BASE = 'https://sqs.eu-central-1.amazonaws.com/123456789012/';
const GIVEN = {
  KAGZI_ENVIRONMENT: 'dev',
  KAGZI_TABLE: 'kagzi-dev-runs',
  KAGZI_BUCKET: 'kagzi-dev-blobs',
  KAGZI_QUEUE_BASE_URL: BASE,
  KAGZI_TASK_QUEUES: '{"default":"kagzi-dev-default","slow":"kagzi-dev-slow"}',
  KAGZI_CONTROL_QUEUE_ARN: 'arn:aws:sqs:eu-central-1:123456789012:kagzi-dev-control',
  KAGZI_SCHEDULE_GROUP: 'kagzi-dev',
  KAGZI_SCHEDULE_ROLE_ARN: 'arn:aws:iam::123456789012:role/kagzi-dev-timers',
};

describe('the environment of a function', () => {
  it('has defaults for everything but what the stack alone knows', () => {
    expect(readEnvironment({ ...GIVEN, PATH: '/bin', KAGZI_LOG_LEVEL: '' })).toMatchObject({
      name: 'dev',
      logLevel: 'info',
      tableName: 'kagzi-dev-runs',
      bucket: 'kagzi-dev-blobs',
      bucketInPath: false,
      scheduleGroup: 'kagzi-dev',
      config: DEFAULT_CONFIG,
    });
  });

  it('names every queue with its dead letters', () => {
    const environment = readEnvironment(GIVEN);
    expect(Object.fromEntries(environment.queueUrls)).toEqual({
      default: `${BASE}kagzi-dev-default`,
      'default.dead': `${BASE}kagzi-dev-default-dead`,
      slow: `${BASE}kagzi-dev-slow`,
      'slow.dead': `${BASE}kagzi-dev-slow-dead`,
      [CONTROL_QUEUE]: `${BASE}kagzi-dev-control`,
      [`${CONTROL_QUEUE}.dead`]: `${BASE}kagzi-dev-control-dead`,
    });
    const arn = 'arn:aws:sqs:eu-central-1:123456789012:kagzi-dev-';
    expect(queueOfDeadLetters(environment, `${arn}slow-dead`)).toBe('slow');
    expect(queueOfDeadLetters(environment, `${arn}control-dead`)).toBe(CONTROL_QUEUE);
    expect(() => queueOfDeadLetters(environment, `${arn}slow`)).toThrow('is no dead-letter queue');
    expect(() => queueOfDeadLetters(environment, `${arn}other-dead`)).toThrow('is no dead-letter queue');
  });

  it('sets the engine, by the names of the one-machine server', () => {
    const { config, bucketInPath } = readEnvironment({
      ...GIVEN,
      KAGZI_LEASE_SECS: '60',
      KAGZI_RETENTION_DAYS: '7',
      KAGZI_DUE_SHARDS: '4',
      AWS_ENDPOINT_URL_S3: 'http://127.0.0.1:1',
    });
    expect(config).toEqual({ ...DEFAULT_CONFIG, leaseMs: 60_000, retentionMs: 7 * 86_400_000, dueShards: 4 });
    expect(bucketInPath).toBe(true);
  });

  it('is refused with everything that is wrong with it', () => {
    const broken = { ...GIVEN, KAGZI_TABLE: '', KAGZI_TASK_QUEUES: 'default', KAGZI_LEASE_SECS: 'long' };
    for (const problem of [
      'KAGZI_TABLE: is required',
      'KAGZI_TASK_QUEUES: is no JSON',
      'KAGZI_LEASE_SECS: is no whole',
    ]) {
      expect(() => readEnvironment(broken)).toThrow(problem);
    }
  });

  it.each<[string, Record<string, string>]>([
    ['KAGZI_TASK_QUEUES: names no task queue', { KAGZI_TASK_QUEUES: '{}' }],
    ['KAGZI_TASK_QUEUES: gives two queues', { KAGZI_TASK_QUEUES: '{"a":"x","b":"x"}' }],
    ['or a queue and the dead letters of another', { KAGZI_TASK_QUEUES: '{"a":"x","b":"x-dead"}' }],
    ['KAGZI_TASK_QUEUES', { KAGZI_TASK_QUEUES: '{"a b":"x"}' }],
    ['KAGZI_QUEUE_BASE_URL: does not end with a slash', { KAGZI_QUEUE_BASE_URL: BASE.slice(0, -1) }],
    ['KAGZI_CONTROL_QUEUE_ARN: is no ARN of sqs', { KAGZI_CONTROL_QUEUE_ARN: 'kagzi-dev-control' }],
    ['is not less than KAGZI_LEASE_SECS', { KAGZI_LEASE_SECS: '10' }],
    ['is not less than KAGZI_WATCHDOG', { KAGZI_WATCHDOG_WORKER_STALE_THRESHOLD_SECS: '10' }],
  ])('is refused: %s', (problem, more) => {
    expect(() => readEnvironment({ ...GIVEN, ...more })).toThrow(problem);
  });
});

describe('the bus of run-events', () => {
  it.each(['default', 'shop/orders', 'arn:aws:events:eu-central-1:123456789012:event-bus/default'])(
    'may be %s',
    (bus) => {
      expect(readEventBus({ KAGZI_EVENT_BUS: bus })).toBe(bus);
    },
  );

  it('must be given', () => {
    expect(() => readEventBus({})).toThrow('KAGZI_EVENT_BUS: is required');
    expect(() => readEventBus({ KAGZI_EVENT_BUS: 'no bus' })).toThrow('is no bus');
  });
});
