import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { WorkflowContext } from '../../sdk/context.ts';
import { defineWorkflow } from '../../sdk/define-workflow.ts';
import { NonRetryableError } from '../../sdk/errors.ts';
import { type TestEngine, testEngine } from '../helpers/test-engine.ts';
import { WorkflowDriver } from '../helpers/workflow-driver.ts';

const NAP = '1 hour';

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

const cats = defineWorkflow({ type: 'cats' }, async () => 'cat');
const dogs = defineWorkflow({ type: 'dogs' }, async () => 'dog');
const slow = defineWorkflow({ type: 'slow' }, async (ctx) => {
  await ctx.sleep('s', NAP);
  return 1;
});
const retry = { kind: 'fixed', interval: '1 hour' } as const;
const fails = (): never => {
  throw new Error('not yet');
};
const abc = async (ctx: WorkflowContext): Promise<unknown> => [
  await ctx.step('a', () => 1),
  await ctx.step('b', () => 2),
  await ctx.sleep('nap', NAP),
];

interface Change {
  readonly before: (ctx: WorkflowContext) => Promise<unknown>;
  readonly after: (ctx: WorkflowContext) => Promise<unknown>;
  readonly says: readonly string[];
}

const REFUSED: Readonly<Record<string, Change>> = {
  'a step is renamed': {
    before: abc,
    after: async (ctx) => [await ctx.step('a', () => 1), await ctx.step('c', () => 2), await ctx.sleep('nap', NAP)],
    says: ['FUNCTION "b" at position 1', 'FUNCTION "c" at position 1'],
  },
  'a step is removed': {
    before: abc,
    after: async (ctx) => [await ctx.step('b', () => 2), await ctx.sleep('nap', NAP)],
    says: ['FUNCTION "a" at position 0', 'FUNCTION "b" at position 0'],
  },
  'a step is put in between': {
    before: abc,
    after: async (ctx) => [await ctx.step('a', () => 1), await ctx.step('new', () => 2), await ctx.step('b', () => 2)],
    says: ['FUNCTION "b" at position 1', 'FUNCTION "new" at position 1'],
  },
  'steps change places': {
    before: abc,
    after: async (ctx) => [await ctx.step('b', () => 2), await ctx.step('a', () => 1)],
    says: ['FUNCTION "a" at position 0', 'FUNCTION "b" at position 0'],
  },
  'a step becomes a sleep': {
    before: abc,
    after: (ctx) => ctx.sleep('a', 1),
    says: ['FUNCTION "a" at position 0', 'SLEEP "a" at position 0'],
  },
  'a sleep that was waited for alone is put after a step': {
    before: async (ctx) => {
      await ctx.sleep('nap', NAP);
      await ctx.step('a', () => 1);
      await ctx.sleep('later', NAP);
    },
    after: async (ctx) => {
      await ctx.step('a', () => 1);
      await ctx.sleep('nap', NAP);
    },
    says: ['SLEEP "nap" at position 0', 'FUNCTION "a" at position 0'],
  },
  'a child becomes one of another type': {
    before: async (ctx) => [await ctx.call('pet', cats, undefined), await ctx.sleep('nap', NAP)],
    after: async (ctx) => [await ctx.call('pet', dogs, undefined), await ctx.sleep('nap', NAP)],
    says: ['CHILD_WORKFLOW "pet" of type "cats"', 'one of type "dogs"'],
  },
  'the code ends before a sleep that is under way': {
    before: async (ctx) => [await ctx.step('a', () => 1), await ctx.sleep('cool off', NAP)],
    after: (ctx) => ctx.step('a', () => 1),
    says: ['SLEEP "cool off" at position 1', 'the code has ended'],
  },
  'the code ends before a child that is under way': {
    before: async (ctx) => [await ctx.step('a', () => 1), await ctx.call('k', slow, undefined)],
    after: (ctx) => ctx.step('a', () => 1),
    says: ['CHILD_WORKFLOW "k" at position 1', 'the code has ended'],
  },
  'the code ends before a step that is to be tried again': {
    before: async (ctx) => [await ctx.step('a', () => 1), await ctx.step('r', fails, { retry })],
    after: (ctx) => ctx.step('a', () => 1),
    says: ['FUNCTION "r" at position 1', 'the code has ended'],
  },
};

describe('a run goes no further when', () => {
  it.each(Object.keys(REFUSED))('%s', async (name) => {
    const { before, after, says } = REFUSED[name] as Change;
    let changed = false;
    const flow = defineWorkflow({ type: 'flow' }, (ctx) => (changed ? after(ctx) : before(ctx)));
    driver.serve(flow, cats, dogs, slow);
    const run = await driver.start(flow, undefined);
    await test.passes(5_000);
    for (let waits = 0; waits < 2 && name.includes('alone'); waits++) {
      await test.clock.advance(waits === 0 ? 3_600_000 : 0);
      await test.passes(5_000);
    }
    changed = true;
    const { error } = await driver.ended(run, 2_000);
    expect(error?.code).toBe('NON_DETERMINISTIC');
    for (const part of says) expect(error?.message).toContain(part);
  });
});

describe('a run goes on when', () => {
  it('the code has seen enough while more is recorded, and is run again', async () => {
    const no = (): never => {
      throw new NonRetryableError('no');
    };
    let starts = 0;
    const flow = defineWorkflow({ type: 'flow' }, async (ctx) => {
      starts += 1;
      const fast = await ctx.parallel([(c) => c.step('a', no), (c) => c.step('b', () => 2)]).catch(() => 'failed');
      const first = await Promise.race([ctx.step('c', () => 3), ctx.step('d', () => 4)]);
      const any = await Promise.any([ctx.step('e', no), ctx.step('f', () => 5), ctx.step('g', () => 6)]);
      void ctx.step('nobody waits', () => 7);
      if (starts === 1) throw new Error('transient');
      return [fast, first, any];
    });
    driver.serve(flow);
    const { output, error } = await driver.ended(await driver.start(flow, undefined));
    expect(error).toBeNull();
    expect(output).toBe('["failed",3,5]');
    expect(starts).toBe(2);
  });

  it('the code throws for the moment before it has come as far as before', async () => {
    let starts = 0;
    const flow = defineWorkflow({ type: 'flow' }, async (ctx) => {
      starts += 1;
      const a = await ctx.step('a', () => 1);
      if (starts === 2) throw new Error('transient');
      const b = await ctx.step('b', () => 2);
      await ctx.sleep('nap', NAP);
      return a + b;
    });
    driver.serve(flow);
    expect((await driver.ended(await driver.start(flow, undefined))).output).toBe('3');
    expect(starts).toBe(3);
  });

  it('the version of a child changes', async () => {
    let version = '1';
    const child = (of: string) => defineWorkflow({ type: 'child', version: of }, async () => of);
    const flow = defineWorkflow({ type: 'flow' }, async (ctx) => {
      const made = await ctx.call('k', child(version), undefined);
      await ctx.sleep('nap', NAP);
      return made;
    });
    driver.serve(flow, child('1'), child('2'));
    const run = await driver.start(flow, undefined);
    await test.passes(5_000);
    version = '2';
    expect((await driver.ended(run)).output).toBe('"1"');
  });
});
