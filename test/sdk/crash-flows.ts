import { z } from 'zod';
import type { AnyWorkflow } from '../../sdk/context.ts';
import { defineWorkflow } from '../../sdk/define-workflow.ts';

/** Counts every start of a step's body. */
export type Ledger = Map<string, number>;

export interface Flow {
  readonly name: string;
  readonly workflows: readonly [AnyWorkflow, ...AnyWorkflow[]];
}

/** Workflows that together use everything; each body notes its step in the ledger. */
export function crashFlows(ledger: Ledger): readonly Flow[] {
  const did = <T>(step: string, value: T): T => {
    ledger.set(step, (ledger.get(step) ?? 0) + 1);
    return value;
  };
  const failing = new Map<string, number>();
  const failsFirst = (step: string, times: number): string => {
    did(step, null);
    const failed = failing.get(step) ?? 0;
    failing.set(step, failed + 1);
    if (failed < times) throw new Error(`${step} fails`);
    return step;
  };

  const steps = defineWorkflow({ type: 'steps' }, async (ctx) => {
    const a = await ctx.step('a', () => did('a', 1));
    const b = await ctx.step('b', () => did('b', a + 1));
    return [a, b, await ctx.step('c', () => did('c', new Map([['sum', a + b]])))];
  });
  const sleeps = defineWorkflow({ type: 'sleeps' }, async (ctx) => {
    await ctx.step('a', () => did('a', 1));
    await ctx.sleep('short', '2s');
    await ctx.sleep('long', '1 hour');
    await ctx.sleepUntil('until', new Date(ctx.now().getTime() + 60_000));
    return ctx.step('b', () => did('b', 'awake'));
  });
  const retries = defineWorkflow({ type: 'retries' }, async (ctx) =>
    ctx.step('flaky', () => failsFirst('flaky', 2), { retry: { attempts: 5, initial: '8s' } }),
  );
  const compensates = defineWorkflow({ type: 'compensates' }, async (ctx) => {
    await ctx.step('book', () => did('book', 1));
    try {
      await ctx.step('pay', () => Promise.reject(did('pay', new TypeError('declined'))), { retry: 'none' });
    } catch (error) {
      return [error instanceof TypeError, await ctx.step('unbook', () => did('unbook', 'unbooked'))];
    }
    return null;
  });
  const parallel = defineWorkflow({ type: 'parallel' }, async (ctx) => {
    const named = await ctx.parallel({
      left: async (c) => [await c.step('s', () => did('left', 1)), await c.step('t', () => did('left-t', 2))],
      right: (c) => c.step('s', () => did('right', 3)),
    });
    const plain = await Promise.all(['x', 'y'].map((id) => ctx.step(id, () => did(id, id))));
    return { named, plain };
  });
  const maps = defineWorkflow({ type: 'maps' }, async (ctx) => {
    const doubled = await ctx.map(
      [1, 2, 3],
      async (n, c) => {
        const once = await c.step('double', () => did(`double-${n}`, n * 2));
        await c.sleep('pause', '30s');
        return c.step('again', () => did(`again-${n}`, once * 2));
      },
      { concurrency: 2 },
    );
    return doubled;
  });
  const races = defineWorkflow({ type: 'races' }, async (ctx) => {
    const first = await ctx.race({
      nap: (c) => c.sleep('nap', '1 hour').then(() => 'nap'),
      quick: (c) => c.step('quick', () => did('quick', 'quick')),
    });
    const second = await Promise.race([
      ctx.sleep('nap', '10 minutes').then(() => 'nap'),
      ctx.sleep('longer', '20 minutes').then(() => 'longer'),
    ]);
    await ctx.sleep('after', '1 hour');
    return [first, second];
  });
  const child = defineWorkflow({ type: 'child' }, async (ctx, n: number) => {
    await ctx.sleep('nap', '1 minute');
    return ctx.step('square', () => did(`square-${n}`, n * n));
  });
  const parent = defineWorkflow({ type: 'parent' }, async (ctx) => {
    const handle = await ctx.start('two', child, 2);
    const nine = await ctx.call('three', child, 3);
    return [await handle.result(), nine];
  });
  const large = defineWorkflow({ type: 'large' }, async (ctx) => {
    const text = await ctx.step('write', () => did('write', noise(40_000)));
    await ctx.sleep('nap', '1 hour');
    return ctx.step('read', () => did('read', text.length)).then((length) => ({ length, text }));
  });
  const draws = defineWorkflow({ type: 'draws' }, async (ctx) => {
    const ids = [ctx.uuid(), ctx.random(), ctx.uuid()];
    await ctx.step('use', () => did('use', ids));
    await ctx.sleep('nap', '1 hour');
    return (await ctx.step('same', () => did('same', ids))).every((value, index) => value === ids[index]);
  });
  const errand = defineWorkflow({ type: 'errand' }, async () => 1);
  const fires = defineWorkflow({ type: 'fires' }, async (ctx) => {
    await ctx.step('before', () => did('before', 1));
    await ctx.start('errand', errand, undefined);
    return 'gone on';
  });
  const inputs = new Set<number>();
  const input = z.object({ token: z.number().default(() => Math.random()) }).prefault({});
  const parses = defineWorkflow({ type: 'parses', input }, async (ctx, { token }) => {
    inputs.add(token);
    await ctx.sleep('nap', '1 hour');
    return ctx.step('after', () => did('after', inputs.size));
  });
  const flow = (...workflows: readonly [AnyWorkflow, ...AnyWorkflow[]]): Flow => ({
    name: workflows[0].type,
    workflows,
  });
  return [
    flow(steps),
    flow(sleeps),
    flow(retries),
    flow(compensates),
    flow(parallel),
    flow(maps),
    flow(races),
    flow(parent, child),
    flow(large),
    flow(draws),
    flow(fires, errand),
    flow(parses),
  ];
}

/** Text that does not compress, so that it is stored as a blob. */
function noise(length: number): string {
  let state = 7;
  let text = '';
  while (text.length < length) {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    text += String.fromCharCode(33 + (state % 90));
  }
  return text;
}
