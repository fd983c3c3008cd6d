import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { CancelledError, defineWorkflow, NonRetryableError, RunFailedError } from '../../sdk/index.ts';
import { gate, PollWorld, until } from '../helpers/poll-world.ts';

const bodies: string[] = [];
const ran = (name: string): number => bodies.filter((body) => body === name).length;

const order = defineWorkflow({ type: 'order' }, async (ctx, input: { amount: bigint; at: Date }) => {
  const charged = await ctx.step('charge', ({ attempt, idempotencyKey }) => {
    bodies.push('charge');
    return { amount: input.amount * 2n, at: input.at, attempt, key: idempotencyKey };
  });
  await ctx.sleep('settle', 50);
  return { ...charged, run: ctx.run, uuid: ctx.uuid() };
});

const flaky = defineWorkflow({ type: 'flaky' }, async (ctx) =>
  ctx.step(
    'a',
    ({ attempt }) => {
      bodies.push(`flaky ${attempt}`);
      if (attempt < 3) throw new Error('not yet');
      return attempt;
    },
    { retry: { kind: 'fixed', interval: 10 } },
  ),
);

class Declined extends Error {
  readonly code = 'DECLINED';
}
const broken = defineWorkflow({ type: 'broken', errors: [Declined] }, async (ctx) => {
  try {
    await ctx.step(
      'a',
      () => {
        throw new Declined('no funds');
      },
      { retry: 'none' },
    );
  } catch (error) {
    throw new NonRetryableError(`caught ${error instanceof Declined}`, { code: 'ENOUGH' });
  }
});

const stubborn = defineWorkflow(
  { type: 'stubborn', retry: { kind: 'fixed', interval: 10, attempts: 2 } },
  async (ctx) => {
    bodies.push(`stubborn ${ctx.run.attempt}`);
    throw new Error('again');
  },
);

const many = defineWorkflow({ type: 'many' }, async (ctx) => {
  const all = await Promise.all(['a', 'b', 'c'].map((id) => ctx.step(id, () => id)));
  const named = await ctx.parallel({ x: (c) => c.step('s', () => 1), y: (c) => c.step('s', () => 2) });
  const mapped = await ctx.map([1, 2, 3, 4, 5], (n, c) => c.step('double', () => n * 2), { concurrency: 2 });
  const won = await ctx.race({
    slow: (c) => c.sleep('long', '1 hour').then(() => 'slow'),
    fast: (c) => c.step('quick', () => 'fast'),
  });
  const napped = await ctx.race({
    slow: (c) => c.step('hang', ({ signal }) => new Promise((resolve) => signal.addEventListener('abort', resolve))),
    nap: (c) => c.sleep('nap', 30).then(() => 'nap'),
  });
  return { all, named, mapped, won, napped };
});

const child = defineWorkflow({ type: 'child' }, async (ctx, n: number) => {
  await ctx.sleep('nap', 20);
  if (n < 0) throw new NonRetryableError('negative', { code: 'NEGATIVE' });
  return ctx.step('square', () => n * n);
});
const parent = defineWorkflow({ type: 'parent' }, async (ctx) => {
  const nine = await ctx.call('three', child, 3);
  const handle = await ctx.start('four', child, 4);
  const failed = await ctx
    .call('minus', child, -1)
    .catch((error: { code: string; name: string }) => [error.name, error.code]);
  return [nine, await handle.result(), failed];
});

/** Longer than a worker waits itself: the run is put down and comes back. */
const sleeper = defineWorkflow({ type: 'sleeper' }, async (ctx) => {
  const before = await ctx.step('before', () => {
    bodies.push('before');
    return 'kept';
  });
  await ctx.sleep('night', 5_300);
  return before;
});

const cleaned = gate();
const cancelled = defineWorkflow({ type: 'cancelled' }, async (ctx) => {
  try {
    await ctx.step('long', ({ signal }) => {
      bodies.push('long');
      return new Promise((resolve) => signal.addEventListener('abort', resolve));
    });
  } catch (error) {
    if (error instanceof CancelledError) {
      await ctx.step('undo', () => {
        bodies.push(`undo ${error.reason}`);
        cleaned.open();
      });
    }
    throw error;
  }
});

const large = defineWorkflow({ type: 'large' }, async (ctx) =>
  ctx.step('a', () => 'x'.repeat(3_000_000)).catch((error: { code: string }) => error.code),
);

const napper = defineWorkflow({ type: 'napper' }, async (ctx) => ctx.sleep('night', '1 day'));
const loser = defineWorkflow({ type: 'loser' }, async (ctx) => {
  const { runId } = await ctx.start('left', child, 5);
  await ctx.race([(c) => c.call('kid', napper, undefined, { externalId: 'lost' }), (c) => c.sleep('limit', 300)]);
  return runId;
});
let parsed = 0;
const parses = defineWorkflow(
  { type: 'parses', input: z.object({ n: z.number().default(() => ++parsed) }) },
  async (_ctx, { n }) => n,
);

let world: PollWorld;
beforeAll(async () => {
  world = await PollWorld.open();
  world.serve([order, flaky, broken, stubborn, many, child, parent, sleeper, cancelled, large, napper, loser, parses], {
    name: 'w',
    labels: { zone: 'a' },
  });
});
afterAll(() => world.close());

describe('over HTTP, a workflow', () => {
  it('runs its steps and sleeps, with values as they were', async () => {
    const at = new Date(1_700_000_000_123);
    const handle = await world.client.start(order, { amount: 21n, at }, { externalId: 'o-1' });
    const result = await handle.result();
    expect(result).toMatchObject({ amount: 42n, at, attempt: 1 });
    expect(result.run).toMatchObject({
      runId: handle.runId,
      externalId: 'o-1',
      workflowType: 'order',
      parentRunId: null,
    });
    expect(ran('charge')).toBe(1);
    const steps = await world.get<{ steps: unknown[] }>(`/runs/${handle.runId}/steps`);
    expect(steps).toMatchObject({
      steps: [
        { step_id: 'charge', position: 0, order: 1, idempotency_key: result.key },
        { step_id: 'settle', position: 1, kind: 'SLEEP' },
      ],
    });
  });

  it('tries a step again by its own policy', async () => {
    expect(await (await world.client.start(flaky)).result()).toBe(3);
    expect(['flaky 1', 'flaky 2', 'flaky 3'].map(ran)).toEqual([1, 1, 1]);
  });

  it('catches errors of their own class, and fails with what it throws', async () => {
    const failing = (await world.client.start(broken)).result();
    await expect(failing).rejects.toThrow(RunFailedError);
    await expect(failing).rejects.toMatchObject({ message: 'caught true', code: 'ENOUGH' });
  });

  it('is tried again as a whole by the policy of its run', async () => {
    await expect((await world.client.start(stubborn)).result()).rejects.toThrow('again');
    expect(['stubborn 1', 'stubborn 2'].map(ran)).toEqual([1, 1]);
  });

  it('joins and races steps, sleeps and branches', async () => {
    expect(await (await world.client.start(many)).result()).toEqual({
      all: ['a', 'b', 'c'],
      named: { x: 1, y: 2 },
      mapped: [2, 4, 6, 8, 10],
      won: { winner: 'fast', value: 'fast' },
      napped: { winner: 'nap', value: 'nap' },
    });
  });

  it('calls children, suspends until they end and catches what they fail with', async () => {
    expect(await (await world.client.start(parent)).result()).toEqual([9, 16, ['ChildFailedError', 'NEGATIVE']]);
  });

  it('has children go on that it started, and cancelled that lost a race', async () => {
    const left = await (await world.client.start(loser)).result();
    expect(await world.client.run(left).result()).toBe(25);
    const { value: lost } = await world.client.list({ externalId: 'lost' }).next();
    expect(lost).toMatchObject({ status: 'CANCELLED', cancelReason: 'it lost a race' });
  });

  it('gets what its schema makes of the input', async () => {
    expect(await (await world.client.start(parses, {})).result()).toBe(parsed);
  });

  it('is put down for a long sleep, and goes on without repeating a step', async () => {
    const handle = await world.client.start(sleeper);
    await until(async () => (await handle.status()) === 'SLEEPING');
    expect(await handle.result()).toBe('kept');
    expect(ran('before')).toBe(1);
  });

  it('cleans up when it is cancelled with a grace', async () => {
    const handle = await world.client.start(cancelled);
    await until(() => ran('long') === 1);
    await handle.cancel({ reason: 'enough', grace: '20s' });
    await cleaned.opened;
    await expect(handle.result()).rejects.toMatchObject({ name: 'CancelledError', reason: 'enough' });
    expect(ran('undo enough')).toBe(1);
  });

  it('fails a step whose output is too large', async () => {
    expect(await (await world.client.start(large)).result()).toBe('PAYLOAD_TOO_LARGE');
  });

  it('is counted, and its worker is shown', async () => {
    const seen = async () =>
      (await world.get<{ workers: Record<string, unknown>[] }>('/workers')).workers.find(({ name }) => name === 'w');
    await until(async () => Number((await seen())?.['total_failed']) >= 2);
    expect(await seen()).toMatchObject({
      status: 'ONLINE',
      labels: { zone: 'a' },
      pid: process.pid,
      max_concurrent: 10,
    });
  });
});
