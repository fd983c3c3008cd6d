import { afterEach, beforeEach, expect, it } from 'vitest';
import { CancelledError, defineWorkflow } from '../../sdk/index.ts';
import { PollWorld, until } from '../helpers/poll-world.ts';

let world: PollWorld;
beforeEach(async () => {
  world = await PollWorld.open();
});
afterEach(() => world.close());

/** The call is done, and every second time its answer does not arrive. A lost poll would only cost a lease's time. */
function losing(): { readonly fetch: typeof fetch; readonly lost: Set<string> } {
  const seen = new Map<string, number>();
  const lost = new Set<string>();
  return {
    lost,
    fetch: async (input, init) => {
      const response = await fetch(input, init);
      const { pathname } = new URL(input instanceof Request ? input.url : input);
      const kind = pathname.split('/').at(-1) ?? '';
      const count = (seen.get(kind) ?? 0) + 1;
      seen.set(kind, count);
      if (kind === 'poll' || init?.method !== 'POST' || count % 2 === 0) return response;
      lost.add(kind);
      throw new TypeError('fetch failed');
    },
  };
}

it('goes on as if nothing had happened when the answer of any call is lost', async () => {
  const bodies: string[] = [];
  const body = (name: string) => () => {
    bodies.push(name);
    return name;
  };
  const child = defineWorkflow({ type: 'child' }, async (ctx) => ctx.step('leaf', body('leaf')));
  const all = defineWorkflow({ type: 'all' }, async (ctx) => {
    const a = await ctx.step('a', body('a'));
    const b = await ctx.step(
      'b',
      ({ attempt }) => {
        bodies.push(`b ${attempt}`);
        if (attempt === 1) throw new Error('not yet');
        return 'b';
      },
      { retry: { kind: 'fixed', interval: 10 } },
    );
    const once = await ctx.step('once', body('once'), { atMostOnce: true });
    const won = await ctx.race([(c) => c.sleep('nap', 20).then(() => 'nap'), (c) => c.sleep('long', '1 hour')]);
    return [a, b, once, won, await ctx.call('kid', child, undefined)];
  });
  const undone = defineWorkflow({ type: 'undone' }, async (ctx) => {
    try {
      await ctx.sleep('for ever', '10 years');
    } catch (error) {
      if (error instanceof CancelledError) await ctx.step('undo', body('undo'));
      throw error;
    }
  });
  const { fetch, lost } = losing();
  world.serve([all, child, undone], { fetch });
  const cancelled = await world.client.start(undone);
  await until(async () => (await cancelled.status()) === 'SLEEPING');
  await cancelled.cancel({ grace: '20s' });
  expect(await (await world.client.start(all)).result()).toEqual(['a', 'b', 'once', 'nap', 'leaf']);
  await expect(cancelled.result()).rejects.toThrow(CancelledError);
  expect(bodies.sort()).toEqual(['a', 'b 1', 'b 2', 'leaf', 'once', 'undo']);
  const calls = ['begin', 'cancelled', 'complete', 'fail', 'inbox', 'observe', 'runs', 'suspend', 'workers'];
  // The client may hear of the end before the worker misses its answer.
  await until(() => Promise.resolve(lost.has('cancelled')));
  expect(calls.filter((call) => !lost.has(call))).toEqual([]);
});
