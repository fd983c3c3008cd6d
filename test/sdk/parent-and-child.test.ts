import { describe, expect, it } from 'vitest';
import { defineWorkflow } from '../../sdk/define-workflow.ts';
import { startEmbeddedWorker } from '../../sdk/worker/embedded-worker.ts';
import { Registry } from '../../sdk/worker/registry.ts';
import { createEngine, type EngineParts } from '../../shared/store/engine.ts';
import { settle } from '../helpers/manual-clock.ts';
import { testEngine } from '../helpers/test-engine.ts';
import { WorkflowDriver } from '../helpers/workflow-driver.ts';

const child = defineWorkflow({ type: 'child' }, async (ctx) => ctx.step('answer', () => 42));
const parent = defineWorkflow({ type: 'parent' }, async (ctx) => ctx.call('ask', child, undefined));

type Who = 'parent' | 'child';
const TURNS = 40;
/** Far less than the time after which a parent would look at its children by itself. */
const SOON_MS = 120_000;

/** A process that stands still at its n-th call of the table until the other one has done all it can. */
function standStill(parts: EngineParts, n: number): { readonly parts: EngineParts; readonly calls: () => number } {
  let calls = 0;
  const table = new Proxy(parts.table, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      const method = value.bind(target) as (...args: unknown[]) => Promise<unknown>;
      return async (...args: unknown[]) => {
        calls += 1;
        if (calls === n) for (let turn = 0; turn < TURNS; turn++) await settle();
        return method(...args);
      };
    },
  });
  return { parts: { ...parts, table }, calls: () => calls };
}

/** Runs the two in two processes, one of which stands still once; answers how many calls that one made. */
async function play(slow: Who, n: number): Promise<{ output: string | undefined; calls: number; tookMs: number }> {
  let given: EngineParts | undefined;
  const test = await testEngine({ wrap: (parts) => (given = parts) });
  try {
    if (given === undefined) throw new Error('no parts');
    const paused = standStill(given, n);
    const log = (): void => undefined;
    for (const [who, workflow] of [
      ['parent', parent],
      ['child', child],
    ] as const) {
      const engine = createEngine(who === slow ? paused.parts : given);
      const registry = new Registry([workflow]);
      startEmbeddedWorker({ engine, registry, namespace: 'shop', taskQueue: 'default', maxConcurrent: 10, log });
    }
    const driver = new WorkflowDriver(test);
    const since = test.clock.now();
    const run = await driver.start(parent, undefined);
    let details = await driver.get(run);
    while (details.run.status !== 'COMPLETED' && test.clock.now() - since < SOON_MS) {
      await test.passes(1000);
      details = await driver.get(run);
    }
    return { output: details.output, calls: paused.calls(), tookMs: test.clock.now() - since };
  } finally {
    await test.close();
  }
}

describe('a parent that waits for its child is never asleep for ever', () => {
  it.each(['parent', 'child'] as const)(
    'wherever the %s stands still while the other goes on',
    { timeout: 60_000 },
    async (slow) => {
      const calm = await play(slow, Number.POSITIVE_INFINITY);
      expect(calm).toMatchObject({ output: '42' });
      expect(calm.calls).toBeGreaterThan(5);
      for (let n = 1; n <= calm.calls + 3; n++) {
        const { output } = await play(slow, n);
        expect({ n, output }).toEqual({ n, output: '42' });
      }
    },
  );
});
