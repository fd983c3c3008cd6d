import { afterEach, beforeEach, expect, it } from 'vitest';
import type { WorkflowContext } from '../../sdk/context.ts';
import { defineWorkflow } from '../../sdk/define-workflow.ts';
import { CancelledError } from '../../sdk/errors.ts';
import type { RunId } from '../../shared/model/run.ts';
import { requestCancel } from '../../shared/usecases/request-cancel.ts';
import { type TestEngine, testEngine } from '../helpers/test-engine.ts';
import { WorkflowDriver } from '../helpers/workflow-driver.ts';

const HOUR = 3_600_000;

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

const forever = (): Promise<never> => new Promise(() => undefined);
const cancel = (run: RunId) => requestCancel(test.engine, run, { reason: 'enough', graceMs: 600_000 });

async function orElse(work: Promise<unknown>, cleanUp: () => Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof CancelledError)) throw error;
    await cleanUp();
  }
}

/** Past the sleep that the code waits for alone, and into what comes then. */
async function begun(code: (ctx: WorkflowContext) => Promise<void>): Promise<RunId> {
  const flow = defineWorkflow({ type: 'flow' }, code);
  driver.serve(flow);
  const run = await driver.start(flow, undefined);
  await test.passes(2_000);
  await test.clock.advance(HOUR);
  await test.passes(3_000);
  return run;
}

it('cleans up to the end, though the clean-up waits and is replayed after a sleep', async () => {
  const done: string[] = [];
  const run = await begun(async (ctx) => {
    await ctx.sleep('trial', '1 hour');
    await orElse(ctx.step('work', forever), async () => {
      await ctx.step('stop billing', () => done.push('stop billing'));
      await ctx.sleep('let it settle', '30s');
      await ctx.step('refund', () => done.push('refund'));
    });
  });
  await cancel(run);
  expect((await driver.ended(run)).run.status).toBe('CANCELLED');
  expect(done).toEqual(['stop billing', 'refund']);
});

it('cleans up where the code was told, when another worker goes on with it', async () => {
  const done: string[] = [];
  let hangs = true;
  const code = async (ctx: WorkflowContext): Promise<void> => {
    await ctx.step('reserve', () => 1);
    await ctx.sleep('nap', '1 hour');
    await orElse(ctx.step('work', forever), () =>
      ctx.step('undo', async () => {
        if (hangs) await forever();
        done.push('undone');
      }),
    );
  };
  const run = await begun(code);
  await cancel(run);
  await test.passes(15_000);
  await driver.stop();
  hangs = false;
  driver.serve(defineWorkflow({ type: 'flow' }, code));
  expect((await driver.ended(run)).run.status).toBe('CANCELLED');
  expect(done).toEqual(['undone']);
});

it('tells code that waits for no step at that moment as soon as it asks for one', async () => {
  const done: string[] = [];
  let go = (): void => undefined;
  const run = await begun(async (ctx) => {
    await ctx.sleep('nap', '1 hour');
    await new Promise<void>((resolve) => {
      go = resolve;
    });
    await orElse(
      ctx.step('work', () => done.push('work')).then(() => ctx.step('more', forever)),
      () => ctx.step('undo', () => done.push('undone')),
    );
  });
  await cancel(run);
  await test.passes(15_000);
  go();
  expect((await driver.ended(run)).run.status).toBe('CANCELLED');
  expect(done).toContain('undone');
});
