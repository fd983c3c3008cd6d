import type { Context } from 'aws-lambda';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { AnyWorkflow } from '../../sdk/context.ts';
import { createWorker, defineWorkflow } from '../../sdk/index.ts';
import type { LambdaHandler } from '../../sdk/worker/lambda-worker.ts';
import { CONTROL_QUEUE } from '../../shared/ports/queue.ts';
import {
  bodyOf,
  type Cloud,
  DEAD_DEFAULT,
  httpEvent,
  MAX_RECEIVES,
  SCHEDULE_GROUP,
  startCloud,
} from '../helpers/cloud.ts';
import { DYNAMO_ENGINES } from '../helpers/dynamo-engines.ts';
import { jump, passTime, passUntil } from '../helpers/moving-time.ts';
import { skipLoudly } from '../helpers/skip-loudly.ts';

const kind = DYNAMO_ENGINES.find(({ launch }) => !('unavailable' in launch));
const HOUR = 3_600_000;
/** A payload that no line may show. */
const SECRET = 'tell-nobody';

interface Functions {
  readonly api: typeof import('../../functions/api/handler.ts').handler;
  readonly wake: typeof import('../../functions/wake/handler.ts').handler;
  readonly deadLetters: typeof import('../../functions/dead-letters/handler.ts').handler;
  readonly watchdog: typeof import('../../functions/watchdog/handler.ts').handler;
}

if (kind === undefined) skipLoudly('the functions together', 'there is no DynamoDB engine');
describe.skipIf(kind === undefined)('the functions together', () => {
  let cloud: Cloud;
  let functions: Functions;
  const lines: string[] = [];

  beforeAll(async () => {
    if (kind === undefined) return;
    cloud = await startCloud(kind);
    for (const level of ['log', 'debug', 'info', 'warn', 'error'] as const) {
      vi.spyOn(console, level).mockImplementation((line: unknown) => void lines.push(String(line)));
    }
    functions = {
      api: (await import('../../functions/api/handler.ts')).handler,
      wake: (await import('../../functions/wake/handler.ts')).handler,
      deadLetters: (await import('../../functions/dead-letters/handler.ts')).handler,
      watchdog: (await import('../../functions/watchdog/handler.ts')).handler,
    };
  });
  afterAll(async () => {
    vi.restoreAllMocks();
    await cloud?.stop();
  });

  let namespaces = 0;
  const fresh = (): string => `ns${namespaces++}`;
  const call = async (method: string, url: string, body?: unknown) => {
    const result = await functions.api(httpEvent(method, url, body), {});
    return { status: result.statusCode, body: bodyOf(result) };
  };
  const start = async (base: string, flow: AnyWorkflow, more: object = {}): Promise<string> => {
    const answer = await call('POST', `${base}/runs`, { workflow_type: flow.type, ...more });
    expect(answer.status).toBe(201);
    return answer.body['run_id'] as string;
  };
  const get = async (base: string, runId: string) => (await call('GET', `${base}/runs/${runId}`)).body;
  const context = (awsRequestId: string, remaining = 300_000): Context => {
    const end = Date.now() + remaining;
    return { awsRequestId, getRemainingTimeInMillis: () => end - Date.now() } as Context;
  };
  /** The worker of these workflows, as its event source calls it. */
  const workerOf = (...workflows: readonly AnyWorkflow[]) => {
    const handler: LambdaHandler = createWorker({ workflows, log: () => undefined }).lambda();
    return (visibilityMs?: number): Promise<number> =>
      cloud.deliver('default', (event) => handler(event, context('worker')), visibilityMs);
  };
  /** The run, served while time passes until it has completed. */
  const completed = async (base: string, runId: string, serve: () => Promise<unknown>) => {
    await passUntil(async () => {
      await serve();
      return (await get(base, runId))['status'] === 'COMPLETED';
    }, 90_000);
    return get(base, runId);
  };
  const schedules = () => cloud.scheduler.book.list({ group: SCHEDULE_GROUP }).schedules;

  it('take a run from an HTTP request over SQS through its steps', async () => {
    const base = `/v1/${fresh()}`;
    const flow = defineWorkflow({ type: 'double' }, async (ctx, text: string) => ctx.step('double', () => text + text));
    const runId = await start(base, flow, { input: SECRET });
    expect(await get(base, runId)).toMatchObject({ status: 'PENDING' });
    expect(await workerOf(flow)()).toBe(1);
    expect(await get(base, runId)).toMatchObject({ status: 'COMPLETED', output: SECRET + SECRET });
    expect(await workerOf(flow)()).toBe(0);
  });

  it('serve the examples', async () => {
    const base = `/v1/${fresh()}`;
    const { handler } = await import('../../functions/worker/handler.ts');
    const started = await call('POST', `${base}/runs`, { workflow_type: 'greet', input: { name: 'Ada' } });
    const serve = () => cloud.deliver('default', (event) => handler(event, context('examples')));
    const runId = started.body['run_id'] as string;
    const run = await completed(base, runId, serve);
    expect(run).toMatchObject({ output: { greeting: 'Hello, Ada!' } });
  });

  it('sleep for an hour on a schedule, and wake in time', async () => {
    const base = `/v1/${fresh()}`;
    const woke: number[] = [];
    const flow = defineWorkflow({ type: 'sleeper' }, async (ctx) => {
      await ctx.sleep('nap', '1h');
      return ctx.step('wake', () => woke.push(Date.now()));
    });
    const worker = workerOf(flow);
    const runId = await start(base, flow);
    await worker();
    const asleepAt = Date.now();
    const run = await get(base, runId);
    expect(run).toMatchObject({ status: 'SLEEPING' });
    const wakeAt = Date.parse(run['available_at'] as string);
    const [schedule] = schedules();
    const at = Date.parse(`${schedule?.ScheduleExpression.slice(3, -1)}Z`);
    expect(wakeAt - at).toBeGreaterThan(118_000);
    expect(wakeAt - at).toBeLessThanOrEqual(120_000);

    await jump(at - Date.now() - 60_000);
    expect(await cloud.deliver(CONTROL_QUEUE, functions.wake)).toBe(0);
    await jump(60_000);
    await passUntil(async () => (await cloud.deliver(CONTROL_QUEUE, functions.wake)) === 1, 30_000);
    expect(schedules()).toEqual([]);
    // On its way with the delay that is left.
    expect(await worker()).toBe(0);
    await jump(wakeAt - Date.now() - 30_000);
    expect(await worker()).toBe(0);
    await completed(base, runId, worker);
    expect(woke[0]).toBeGreaterThanOrEqual(wakeAt);
    expect(woke[0]).toBeGreaterThan(asleepAt + HOUR - 60_000);
  });

  it.each([
    ['a millisecond', 1, 'COMPLETED'],
    ['two seconds', 2_000, 'SLEEPING'],
    ['the longest delay of the queue', 15 * 60_000, 'SLEEPING'],
  ])('sleep for %s without a schedule, and never end early', async (_name, ms, status) => {
    const base = `/v1/${fresh()}`;
    const woke: number[] = [];
    const flow = defineWorkflow({ type: 'sleeper' }, async (ctx) => {
      await ctx.sleep('nap', ms);
      return ctx.step('wake', () => woke.push(Date.now()));
    });
    const worker = workerOf(flow);
    const runId = await start(base, flow);
    await worker();
    expect(await get(base, runId)).toMatchObject({ status });
    expect(schedules()).toEqual([]);
    await jump(Math.max(0, ms - 10_000));
    await completed(base, runId, worker);
    const [nap] = (await call('GET', `${base}/runs/${runId}/steps`)).body['steps'] as { wake_at: string }[];
    expect(woke).toHaveLength(1);
    expect(woke[0]).toBeGreaterThanOrEqual(Date.parse(nap?.wake_at ?? ''));
  });

  it('sleep for ten years on a schedule, which goes when the run is cancelled', async () => {
    const base = `/v1/${fresh()}`;
    const flow = defineWorkflow({ type: 'sleeper' }, async (ctx) => ctx.sleep('nap', '3650 days'));
    const runId = await start(base, flow);
    await workerOf(flow)();
    const { available_at } = await get(base, runId);
    const [schedule] = schedules();
    const early = Date.parse(String(available_at)) - Date.parse(`${schedule?.ScheduleExpression.slice(3, -1)}Z`);
    expect(early).toBeGreaterThan(118_000);
    expect(early).toBeLessThanOrEqual(120_000);
    expect((await call('POST', `${base}/runs/${runId}/cancel`, {})).status).toBe(200);
    expect(await get(base, runId)).toMatchObject({ status: 'CANCELLED' });
    expect(schedules()).toEqual([]);
  });

  it('keep what is large in the bucket', async () => {
    const base = `/v1/${fresh()}`;
    const flow = defineWorkflow({ type: 'large' }, async (_ctx, text: string) => text.length);
    // Random, so that it stays large when it is compressed.
    const input = Array.from({ length: 400_000 }, () => Math.random().toString(36).slice(2, 4)).join('');
    const runId = await start(base, flow, { input });
    await workerOf(flow)();
    expect(await get(base, runId)).toMatchObject({ status: 'COMPLETED', output: input.length });
  });

  it('record a dead letter against its run, and send it again when asked', async () => {
    const base = `/v1/${fresh()}`;
    const flow = defineWorkflow({ type: 'buried' }, async () => 'done');
    const runId = await start(base, flow);
    // A worker that dies before it claims.
    const dies = () =>
      cloud.deliver(
        'default',
        ({ Records }) =>
          Promise.resolve({ batchItemFailures: Records.map(({ messageId }) => ({ itemIdentifier: messageId })) }),
        1_000,
      );
    for (let times = 0; times < MAX_RECEIVES; times += 1) {
      expect(await dies()).toBe(1);
      await jump(1_000);
    }
    expect(await dies()).toBe(0);
    expect(await cloud.deliver(DEAD_DEFAULT, functions.deadLetters)).toBe(1);
    expect(await cloud.deliver(DEAD_DEFAULT, functions.deadLetters)).toBe(0);
    const { dead_letters: letters } = (await call('GET', `${base}/dead-letters`)).body as {
      dead_letters: { id: string; run_id: string; task_queue: string }[];
    };
    expect(letters).toMatchObject([{ run_id: runId, task_queue: 'default' }]);
    expect((await call('POST', `${base}/dead-letters/${letters[0]?.id}/redrive`, {})).status).toBe(200);
    expect(await workerOf(flow)()).toBe(1);
    expect(await get(base, runId)).toMatchObject({ status: 'COMPLETED' });
    expect((await call('GET', `${base}/dead-letters`)).body).toMatchObject({ dead_letters: [] });
  });

  it('leave a message that cannot be read to the dead letters, and serve the others', async () => {
    const event = { Records: [record('a', 'nonsense'), record('b', '{"wake":{"namespace":"x","runId":"y"}}')] };
    expect(await functions.wake(event)).toEqual({ batchItemFailures: [{ itemIdentifier: 'a' }] });
    const lost = {
      Records: [{ ...record('c', '{}'), eventSourceARN: 'arn:aws:sqs:us-east-1:000000000000:elsewhere' }],
    };
    expect(await functions.deadLetters(lost)).toEqual({ batchItemFailures: [{ itemIdentifier: 'c' }] });
  });

  it('serve a poll worker over HTTP, past messages for others', async () => {
    const namespace = fresh();
    const base = `/v1/${namespace}`;
    const others = defineWorkflow({ type: 'others' }, async () => 1);
    const mine = defineWorkflow({ type: 'mine' }, async () => 1);
    const otherRun = await start(base, others);
    const runId = await start(base, mine);
    const { worker_id } = (await call('POST', `${base}/workers`, { workflow_types: ['mine'] })).body;
    const polled = await call('POST', `${base}/task-queues/default/poll`, { worker_id, timeout_secs: 5 });
    const task = polled.body['task'] as { run_id: string; lease: string };
    expect(task.run_id).toBe(runId);
    const ended = await call('POST', `${base}/runs/${runId}/complete`, { lease: task.lease, output: 1 });
    expect(ended.status).toBe(200);
    const worker = workerOf(others);
    await completed(base, otherRun, worker);
  });

  it('refuse a task queue that the stack does not have, and name those it has', async () => {
    const answer = await call('POST', `/v1/${fresh()}/runs`, { workflow_type: 'x', task_queue: 'nowhere' });
    expect(answer).toMatchObject({
      status: 404,
      body: { error: { code: 'TASK_QUEUE_NOT_FOUND', details: { declared: ['default', 'slow'] } } },
    });
  });

  it('are watched by one watchdog at a time, which sends again what was lost', async () => {
    const base = `/v1/${fresh()}`;
    const flow = defineWorkflow({ type: 'lost' }, async () => 'found');
    const runId = await start(base, flow);
    // The message is lost.
    await cloud.deliver('default', async () => ({ batchItemFailures: [] }));
    const first = ending(functions.watchdog({}, context('first', 900_000)));
    await passTime(5_000);
    const second = ending(functions.watchdog({}, context('second', 100_000)));
    // Relieved although it had minutes left.
    await passUntil(() => first.ended, 60_000);
    expect(second.ended).toBe(false);
    const worker = workerOf(flow);
    expect(await completed(base, runId, worker)).toMatchObject({ output: 'found' });
    // It goes by itself before Lambda ends it.
    await passUntil(() => second.ended, 100_000);
  });

  it('take a run from a worker that died in the middle', async () => {
    const base = `/v1/${fresh()}`;
    let deaths = 1;
    const flow = defineWorkflow({ type: 'mortal' }, async (ctx) => {
      await ctx.step('one', () => 1);
      return ctx.step('two', () => (deaths-- > 0 ? new Promise(() => undefined) : 2));
    });
    const runId = await start(base, flow);
    const handler = createWorker({ workflows: [flow], log: () => undefined }).lambda();
    // Frozen in its second step: it renews its lease no more.
    const engine = (await import('../../functions/compose-engine.ts')).composeEngine(process.env).engine;
    const dying = createWorker({ workflows: [flow], log: () => undefined }).lambda({
      engine: () => ({ ...engine, clock: { ...frozen(engine.clock) } }),
    });
    void cloud.deliver('default', (event) => dying(event, context('dying')));
    await passUntil(async () => (await get(base, runId))['status'] === 'RUNNING', 30_000);
    const watch = ending(functions.watchdog({}, context('third', 100_000)));
    const next = () => cloud.deliver('default', (event) => handler(event, context('next')));
    expect(await completed(base, runId, next)).toMatchObject({ output: 2 });
    await passUntil(() => watch.ended, 120_000);
  });

  it('tell what they do in lines without payloads, and count with one dimension', async () => {
    const metrics = lines.filter((line) => line.includes('"_aws"')).map((line) => JSON.parse(line) as Emf);
    expect(metrics.length).toBeGreaterThan(10);
    for (const { _aws, service } of metrics) {
      expect(service).toBe('kagzi-test');
      expect(_aws.CloudWatchMetrics).toMatchObject([{ Namespace: 'Kagzi', Dimensions: [['service']] }]);
    }
    const counted = new Set(metrics.flatMap(({ _aws }) => _aws.CloudWatchMetrics[0]?.Metrics.map(({ Name }) => Name)));
    for (const name of ['runs_started', 'runs_completed', 'watchdog_ticks', 'dead_letters', 'write_units']) {
      expect(counted).toContain(name);
    }
    const said = lines.join('\n');
    expect(said).toContain('POST /v1/{namespace}/runs');
    expect(said).not.toContain(SECRET);
  });
});

interface Emf {
  readonly service: string;
  readonly _aws: {
    readonly CloudWatchMetrics: readonly { readonly Metrics: readonly { readonly Name: string }[] }[];
  };
}

function ending(work: Promise<unknown>): { ended: boolean } {
  const state = { ended: false };
  void work.then(() => Object.assign(state, { ended: true }));
  return state;
}

const frozen = (clock: { now(): number; monotonic(): number }) => ({
  now: () => clock.now(),
  monotonic: () => clock.monotonic(),
  sleep: () => new Promise<void>(() => undefined),
});

const record = (messageId: string, body: string) => ({
  messageId,
  receiptHandle: messageId,
  body,
  attributes: {
    ApproximateReceiveCount: '1',
    SentTimestamp: '0',
    SenderId: 'x',
    ApproximateFirstReceiveTimestamp: '0',
  },
  messageAttributes: {},
  md5OfBody: '',
  eventSource: 'aws:sqs',
  eventSourceARN: 'arn:aws:sqs:us-east-1:000000000000:x',
  awsRegion: 'us-east-1',
});
