import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineWorkflow } from '../../sdk/define-workflow.ts';
import {
  CancelledError,
  ChildFailedError,
  NonRetryableError,
  RetryAfterError,
  StepFailedError,
  StepTimeoutError,
} from '../../sdk/errors.ts';
import { cancelRun } from '../../shared/usecases/cancel-run.ts';
import { requestCancel } from '../../shared/usecases/request-cancel.ts';
import { type TestEngine, testEngine } from '../helpers/test-engine.ts';
import { WorkflowDriver } from '../helpers/workflow-driver.ts';

let test: TestEngine;
let driver: WorkflowDriver;
beforeEach(async () => {
  test = await testEngine();
  driver = new WorkflowDriver(test);
});
afterEach(async () => {
  await driver.stop();
  await test.close();
});

/** Long enough to put the run down, so that everything before it is replayed. */
const NAP = '1 hour';

describe('sleeping', () => {
  it('runs neither catch nor finally when the run is put down, and finally once when it goes on', async () => {
    const seen: string[] = [];
    const flow = defineWorkflow({ type: 'flow' }, async (ctx) => {
      try {
        seen.push('try');
        await ctx.sleep('nap', NAP);
        seen.push('awake');
      } catch {
        seen.push('catch');
      } finally {
        seen.push('finally');
      }
      return 'done';
    });
    driver.serve(flow);
    expect(await driver.result(flow, undefined)).toBe('done');
    expect(seen).toEqual(['try', 'try', 'awake', 'finally']);
  });

  it('lets a sleep win against a slower step, and never changes its mind', async () => {
    const flow = defineWorkflow({ type: 'flow' }, async (ctx) => {
      const slow = (): Promise<string> => test.clock.sleep(20_000).then(() => 'step');
      const ours = await ctx.race([(c) => c.sleep('short', '2s').then(() => 'sleep'), (c) => c.step('slow', slow)]);
      const plain = await Promise.race([ctx.sleep('short', '2s').then(() => 'sleep'), ctx.step('slow', slow)]);
      await ctx.sleep('nap', NAP);
      await ctx.sleep('nap', NAP);
      return { ours, plain };
    });
    driver.serve(flow);
    expect(await driver.result(flow, undefined)).toEqual({ ours: 'sleep', plain: 'sleep' });
  });

  it('lets a step win against a longer sleep, also when both are over at the replay', async () => {
    const flow = defineWorkflow({ type: 'flow' }, async (ctx) => {
      const first = await Promise.race([
        ctx.sleep('long', '30 minutes').then(() => 'sleep'),
        ctx.step('quick', () => 'step'),
      ]);
      await ctx.sleep('nap', NAP);
      return first;
    });
    driver.serve(flow);
    expect(await driver.result(flow, undefined)).toBe('step');
  });
});

describe('replay', () => {
  it('gives the same time, numbers and ids, and logs nothing twice', async () => {
    const seen: unknown[] = [];
    const flow = defineWorkflow({ type: 'flow' }, async (ctx) => {
      ctx.log.info('begun');
      const drawn = { now: ctx.now().getTime(), random: ctx.random(), uuid: ctx.uuid(), other: ctx.uuid() };
      seen.push(drawn);
      await ctx.step('a', () => 1);
      ctx.log.info('after a');
      await ctx.sleep('nap', NAP);
      ctx.log.info('awake');
      return drawn.uuid === drawn.other;
    });
    driver.serve(flow);
    expect(await driver.result(flow, undefined)).toBe(false);
    expect(seen).toHaveLength(2);
    expect(seen[0]).toEqual(seen[1]);
    expect(driver.log.map(({ message }) => message)).toEqual(['begun', 'after a', 'awake']);
  });

  it.each([
    ['another step', 'FUNCTION "a" at position 0', 'FUNCTION "b" at position 0'],
    ['another kind', 'FUNCTION "a" at position 0', 'SLEEP "a" at position 0'],
    ['nothing', 'FUNCTION "a" at position 0', 'the code has ended'],
  ])('fails the run when the code asks for %s than the history has', async (what, history, code) => {
    let changed = false;
    const flow = defineWorkflow({ type: 'flow' }, async (ctx) => {
      if (changed && what === 'nothing') return 1;
      if (!changed) await ctx.step('a', () => 1);
      else if (what === 'another step') await ctx.step('b', () => 1);
      else await ctx.sleep('a', 1);
      changed = true;
      await ctx.sleep('nap', NAP);
      return 1;
    });
    driver.serve(flow);
    const { run, error } = await driver.ended(await driver.start(flow, undefined));
    expect(run.status).toBe('FAILED');
    expect(error?.code).toBe('NON_DETERMINISTIC');
    expect(error?.message).toContain(history);
    expect(error?.message).toContain(code);
  });

  it('rebuilds errors of known classes, and keeps code and cause of the others', async () => {
    class Declined extends Error {
      readonly code = 'DECLINED';
      readonly limit = 10n;
    }
    class Unknown extends Error {
      readonly code = 'ODD';
    }
    const seen: unknown[] = [];
    const flow = defineWorkflow({ type: 'flow', errors: [Declined] }, async (ctx) => {
      for (const thrown of [new Declined('no'), new Unknown('odd'), new TypeError('type')]) {
        try {
          await ctx.step('pay', () => Promise.reject(thrown), { retry: 'none' });
        } catch (error) {
          seen.push(error);
        }
      }
      await ctx.sleep('nap', NAP);
      return 1;
    });
    driver.serve(flow);
    await driver.result(flow, undefined);
    expect(seen).toHaveLength(6);
    for (const [declined, unknown, type] of [seen.slice(0, 3), seen.slice(3)]) {
      expect(declined).toBeInstanceOf(Declined);
      expect(declined).toMatchObject({ message: 'no', code: 'DECLINED', limit: 10n });
      expect(unknown).toBeInstanceOf(StepFailedError);
      expect(unknown).toMatchObject({ message: 'odd', code: 'ODD', cause: { message: 'odd' } });
      expect(type).toBeInstanceOf(TypeError);
    }
  });
});

describe('steps', () => {
  it('time out, attempt by attempt', async () => {
    let aborted = 0;
    const flow = defineWorkflow({ type: 'flow' }, async (ctx) => {
      try {
        await ctx.step(
          'stuck',
          ({ signal }) => {
            signal.addEventListener('abort', () => (aborted += 1));
            return new Promise(() => undefined);
          },
          { timeout: '2s', retry: 2 },
        );
      } catch (error) {
        return [error instanceof StepTimeoutError, (error as StepTimeoutError).code];
      }
      return null;
    });
    driver.serve(flow);
    expect(await driver.result(flow, undefined)).toEqual([true, 'STEP_TIMEOUT']);
    expect(aborted).toBe(2);
  });

  it('that may run at most once fail if their worker went over them', async () => {
    let bodies = 0;
    const flow = defineWorkflow({ type: 'flow' }, async (ctx) =>
      ctx.step(
        'pay',
        () => {
          bodies += 1;
          return new Promise(() => undefined);
        },
        { atMostOnce: true },
      ),
    );
    driver.serve(flow);
    const run = await driver.start(flow, undefined);
    await test.passes(1000);
    await driver.stop();
    driver.serve(flow);
    const { error } = await driver.ended(run);
    expect(error?.code).toBe('STEP_INTERRUPTED');
    expect(bodies).toBe(1);
  });

  it('return what can be stored, or say which part cannot', async () => {
    const flow = defineWorkflow({ type: 'flow' }, async (ctx) => ctx.step('a', () => ({ list: [1, () => 2] })));
    driver.serve(flow);
    const { error } = await driver.ended(await driver.start(flow, undefined));
    expect(error?.message).toContain('output of step "a".list[1] cannot be stored: it is a function');
  });

  it('keep within the concurrency of map, and tell what became of each when asked to', async () => {
    let active = 0;
    let most = 0;
    const flow = defineWorkflow({ type: 'flow' }, async (ctx) =>
      ctx.map(
        [1, 2, 3, 4, 5, 6],
        (n, c) =>
          c.step('work', async () => {
            active += 1;
            most = Math.max(most, active);
            await new Promise((resolve) => setImmediate(resolve));
            active -= 1;
            if (n === 3) throw new NonRetryableError('three');
            return n;
          }),
        { concurrency: 2, mode: 'collect-all' },
      ),
    );
    driver.serve(flow);
    const results = await driver.result(flow, undefined);
    expect(most).toBe(2);
    expect(results.map(({ status }) => status)).toEqual(
      [1, 2, 3, 4, 5, 6].map((n) => (n === 3 ? 'rejected' : 'fulfilled')),
    );
  });

  it('counts a step once that was tried again in another turn of its run', async () => {
    const flaky = ({ attempt }: { readonly attempt: number }): number => {
      if (attempt === 1) throw new RetryAfterError('not yet', NAP);
      return attempt;
    };
    const flow = defineWorkflow({ type: 'flow' }, async (ctx) => {
      const all = await ctx.map([1, 2, 3], (_item, c) => c.step('flaky', flaky));
      // Long enough for the lease to be renewed, which tells the head how many steps there are.
      await ctx.step('slow', () => test.clock.sleep(25_000));
      await ctx.sleep('nap', NAP);
      return all;
    });
    driver.serve(flow);
    expect(await driver.result(flow, undefined)).toEqual([2, 2, 2]);
  });
});

describe('runs', () => {
  it('refuse input that the schema refuses, and get what it makes of the rest', async () => {
    const flow = defineWorkflow(
      { type: 'flow', input: z.object({ n: z.coerce.number().default(7) }) },
      async (_ctx, { n }) => n + 1,
    );
    driver.serve(flow);
    expect(await driver.result(flow, {})).toBe(8);
    const { error } = await driver.ended(await driver.start(flow, { n: 'x' }));
    expect(error).toMatchObject({ code: 'INVALID_INPUT' });
    expect(error?.message).toContain('input.n');
  });

  it('are tried again when the function itself throws', async () => {
    let starts = 0;
    const flow = defineWorkflow({ type: 'flow', retry: 2 }, async () => {
      starts += 1;
      if (starts === 1) throw new Error('first');
      return starts;
    });
    driver.serve(flow);
    expect(await driver.result(flow, undefined)).toBe(2);
  });

  it('end when their time is up', async () => {
    const flow = defineWorkflow({ type: 'flow', timeout: '10 minutes' }, async (ctx) => ctx.sleep('nap', NAP));
    driver.serve(flow);
    const { run, error } = await driver.ended(await driver.start(flow, undefined));
    expect(error?.code).toBe('RUN_TIMEOUT');
    expect('finishedAt' in run && run.finishedAt - run.createdAt).toBeLessThan(11 * 60_000);
  });

  it('of a version that is not served wait for a worker that has it', async () => {
    const one = defineWorkflow({ type: 'flow', version: '1' }, async () => 'one');
    const two = defineWorkflow({ type: 'flow', version: '2' }, async () => 'two');
    driver.serve(two);
    const run = await driver.start(one, undefined);
    await test.passes(5000);
    expect((await driver.get(run)).run.status).toBe('PENDING');
    expect(test.telemetry.lines.map(({ message }) => message)).toContain(
      'a run is put back: its version is not served here',
    );
    await driver.stop();
    driver.serve(one, two);
    expect((await driver.ended(run)).output).toBe('"one"');
  });

  it('learn that a child failed, with its code', async () => {
    const child = defineWorkflow({ type: 'child' }, async (ctx) =>
      ctx.step('a', () => Promise.reject(new NonRetryableError('broken', { code: 'BROKEN' }))),
    );
    const parent = defineWorkflow({ type: 'parent' }, async (ctx) => {
      try {
        return await ctx.call('kid', child, undefined);
      } catch (error) {
        return [
          error instanceof ChildFailedError,
          (error as ChildFailedError).code,
          (error as ChildFailedError).childStatus,
        ];
      }
    });
    driver.serve(child, parent);
    expect(await driver.result(parent, undefined)).toEqual([true, 'BROKEN', 'FAILED']);
  });
});

describe('cancelling', () => {
  const cleaned: string[] = [];
  const flow = defineWorkflow({ type: 'flow' }, async (ctx) => {
    try {
      await ctx.step('work', () => 1);
      await ctx.sleep('nap', '30 days');
      return 'done';
    } catch (error) {
      if (error instanceof CancelledError) await ctx.step('undo', () => cleaned.push(`undone: ${error.reason}`));
      throw error;
    } finally {
      await ctx.step('close', () => cleaned.push('closed'));
    }
  });
  beforeEach(() => cleaned.splice(0));

  it('at once runs nothing more', async () => {
    driver.serve(flow);
    const run = await driver.start(flow, undefined);
    await test.passes(2000);
    await cancelRun(test.engine, run, 'no longer wanted');
    await test.passes(5000);
    expect((await driver.get(run)).run.status).toBe('CANCELLED');
    expect(cleaned).toEqual([]);
  });

  it('with a grace lets the workflow clean up, and ends CANCELLED', async () => {
    driver.serve(flow);
    const run = await driver.start(flow, undefined);
    await test.passes(2000);
    await requestCancel(test.engine, run, { reason: 'changed my mind', graceMs: 30_000 });
    const { run: ended } = await driver.ended(run);
    expect(ended).toMatchObject({ status: 'CANCELLED', reason: 'changed my mind' });
    expect(cleaned).toEqual(['undone: changed my mind', 'closed']);
  });

  it.each([
    ['at once', null],
    ['with a grace', 30_000],
  ])('%s tells a body under way why', async (_how, graceMs) => {
    const reasons: unknown[] = [];
    const long = defineWorkflow({ type: 'long' }, async (ctx) =>
      ctx.step('a', ({ signal }) => {
        signal.addEventListener('abort', () => reasons.push(signal.reason));
        return new Promise(() => undefined);
      }),
    );
    driver.serve(long);
    const run = await driver.start(long, undefined);
    await test.passes(2000);
    if (graceMs === null) await cancelRun(test.engine, run, null);
    else await requestCancel(test.engine, run, { reason: null, graceMs });
    await test.passes(30_000);
    expect((await driver.get(run)).run.status).toBe('CANCELLED');
    expect(reasons).toEqual([expect.any(CancelledError)]);
  });

  it('with a grace ends the run when the grace is over, whatever the workflow does', async () => {
    const stubborn = defineWorkflow({ type: 'stubborn' }, async (ctx) => {
      for (;;) {
        try {
          await ctx.sleep('nap', '1 day');
        } catch {
          // Not now.
        }
      }
    });
    driver.serve(stubborn);
    const run = await driver.start(stubborn, undefined);
    await test.passes(2000);
    await requestCancel(test.engine, run, { reason: null, graceMs: 30_000 });
    await test.passes(90_000);
    expect((await driver.get(run)).run.status).toBe('CANCELLED');
  });

  it('with a grace keeps its reason when nobody serves the run until the grace is over', async () => {
    driver.serve(flow);
    const run = await driver.start(flow, undefined);
    await test.passes(2000);
    await driver.stop();
    await requestCancel(test.engine, run, { reason: 'customer asked', graceMs: 20_000 });
    await test.passes(60_000);
    expect((await driver.get(run)).run).toMatchObject({ status: 'CANCELLED', reason: 'customer asked' });
  });
});
