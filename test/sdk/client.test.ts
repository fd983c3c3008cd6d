import { createServer, type Server } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createClient, defineWorkflow } from '../../sdk/index.ts';
import { type ExportedRun, replay } from '../../sdk/testing/index.ts';
import { isOlder } from '../../sdk/version.ts';
import { type TestEngine, testEngine } from '../helpers/test-engine.ts';

const flow = defineWorkflow({ type: 'flow' }, async () => 1);
let server: Server | null = null;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

/** Answers each request with what the function says; counts the requests by path. */
async function serve(answer: (path: string, count: number) => [status: number, body: unknown] | 'hang up') {
  const counts = new Map<string, number>();
  server = createServer((request, response) => {
    const path = request.url ?? '';
    const count = (counts.get(path) ?? 0) + 1;
    counts.set(path, count);
    const given = answer(path, count);
    if (given === 'hang up') return void request.socket.destroy();
    response.writeHead(given[0], { 'content-type': 'application/json' }).end(JSON.stringify(given[1]));
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { readonly port: number };
  return { url: `http://127.0.0.1:${port}`, counts };
}

const INFO = { version: '1', api_version: 'v1', supported_features: [], min_sdk_version: '0.0.1' };
const STARTED = { run_id: 'r', already_exists: false, status: 'PENDING' };

describe('a client over HTTP', () => {
  it('sends again what was refused for now or got no answer', async () => {
    const { url, counts } = await serve((path, count) => {
      if (path === '/info') return [200, INFO];
      if (count === 1) return 'hang up';
      return count === 2 ? [503, { error: { code: 'UNAVAILABLE', message: 'later', details: {} } }] : [201, STARTED];
    });
    expect(await createClient({ url }).start(flow)).toMatchObject({ runId: 'r', alreadyExists: false });
    expect(counts.get('/v1/default/runs')).toBe(3);
  });

  it('does not send again what was refused for good, and tells the code', async () => {
    const details = { run_id: 'x' };
    const { url, counts } = await serve((path) =>
      path === '/info' ? [200, INFO] : [409, { error: { code: 'EXTERNAL_ID_CONFLICT', message: 'no', details } }],
    );
    const starting = createClient({ url }).start(flow);
    await expect(starting).rejects.toMatchObject({
      name: 'ApiError',
      code: 'EXTERNAL_ID_CONFLICT',
      status: 409,
      details,
    });
    expect(counts.get('/v1/default/runs')).toBe(1);
  });

  it('asks once whether it is still served, and says so if not', async () => {
    const { url, counts } = await serve((path) => (path === '/info' ? [200, INFO] : [201, STARTED]));
    const client = createClient({ url });
    await client.start(flow);
    await client.start(flow);
    expect(counts.get('/info')).toBe(1);
    const newer = await serve(() => [200, { ...INFO, min_sdk_version: '99.0.0' }]);
    await expect(createClient({ url: newer.url }).start(flow)).rejects.toMatchObject({ code: 'SDK_TOO_OLD' });
  });

  it('says when there is no engine', async () => {
    const client = createClient({ url: 'http://127.0.0.1:1', attempts: 1 });
    await expect(client.start(flow)).rejects.toMatchObject({ code: 'UNREACHABLE' });
    expect(() => createClient({ url: 'nowhere' })).toThrow('is no URL of an engine');
  });

  it.each([
    ['0.1.0', '0.1.0', false],
    ['0.1.0', '0.2.0', true],
    ['1.0.0', '0.9.9', false],
    ['0.9.10', '0.10.0', true],
  ])('%s is older than %s: %s', (version, than, older) => {
    expect(isOlder(version, than)).toBe(older);
  });
});

describe('a client of an engine in its process', () => {
  let test: TestEngine;
  beforeEach(async () => {
    test = await testEngine();
  });
  afterEach(() => test.close());

  it('delays a start by the clock of the engine', async () => {
    const client = createClient({ embedded: test.engine });
    const { availableAt } = await (await client.start(flow, undefined, { delay: '1 minute' })).get();
    expect(availableAt?.getTime()).toBe(test.clock.now() + 60_000);
  });

  it.each([
    ['no time', { startAt: new Date('bad') }, 'startAt: this Date is no time'],
    ['two times', { startAt: new Date(), delay: 1 }, 'either startAt or delay'],
    ['an empty external id', { externalId: '' }, 'is no external id'],
    ['an empty task queue', { taskQueue: '' }, 'is no task queue'],
    ['a version with a mark', { version: '#' }, 'is no version'],
  ])('is told what is wrong with a start: %s', async (_what, options, message) => {
    const client = createClient({ embedded: test.engine });
    await expect(client.start(flow, undefined, options)).rejects.toThrow(message);
  });
});

describe('a recorded history', () => {
  const at = new Date(0).toISOString();
  const step = (id: string, position: number, output: unknown): ExportedRun['steps'][number] => ({
    step_id: id,
    kind: 'FUNCTION',
    status: 'COMPLETED',
    attempt: 1,
    position,
    order: position + 1,
    finished_at: at,
    wake_at: null,
    child_run_id: null,
    output,
    error: null,
  });
  const recorded = (steps: ExportedRun['steps'], run: Partial<ExportedRun['run']> = {}): ExportedRun => ({
    incarnation: 'i',
    run: {
      namespace: 'n',
      run_id: 'r',
      workflow_type: 'sum',
      version: '1',
      task_queue: 'default',
      status: 'COMPLETED',
      external_id: null,
      created_at: at,
      started_at: at,
      output: 3,
      ...run,
    },
    steps,
  });
  const sum = defineWorkflow(
    { type: 'sum' },
    async (ctx) => (await ctx.step('a', () => 0)) + (await ctx.step('b', () => 0)),
  );

  it('fits the code that made it', async () => {
    expect(await replay(recorded([step('a', 0, 1), step('b', 1, 2)]), sum)).toEqual({
      ended: 'completed',
      steps: 2,
    });
  });

  it('of a run that is not over fits as far as it goes', async () => {
    const { ended } = await replay(recorded([step('a', 0, 1)], { status: 'CANCELLED' }), sum);
    expect(ended).toBe('waiting');
  });

  it('fits though a former owner recorded something after the end, and the last one nothing', async () => {
    const base = { order: 0, epoch: 0 };
    const trace = { position: 0, seen: 0, slept: 0, base };
    const steps = [
      { ...step('race()/0/a', 0, 1), traces: [{ ...trace, epoch: 2, order: 1 }] },
      {
        ...step('race()/1/b', 1, 2),
        traces: [
          { ...trace, epoch: 1, position: 1, order: 1 },
          { ...trace, epoch: 2, position: 1, order: null },
        ],
      },
    ];
    const first = defineWorkflow({ type: 'sum' }, (ctx) =>
      ctx.race([(c) => c.step('a', () => 0), (c) => c.step('b', () => 0)]),
    );
    const history = (epoch: number): ExportedRun => ({ ...recorded(steps, { output: 2 }), epoch });
    expect(await replay(history(3), first)).toMatchObject({ ended: 'completed' });
    await expect(replay(history(2), first)).rejects.toThrow('ended with 2, but the code returns 1');
  });

  it.each([
    ['another step', [step('a', 0, 1), step('c', 1, 2)], {}, 'FUNCTION "c" at position 1'],
    ['another output', [step('a', 0, 1), step('b', 1, 2)], { output: 4 }, 'ended with 4, but the code returns 3'],
    ['fewer steps', [step('a', 0, 1)], {}, 'the code goes on'],
  ])('does not fit code that has %s', async (_what, steps, run, message) => {
    await expect(replay(recorded(steps, run), sum)).rejects.toThrow(message);
  });
});
