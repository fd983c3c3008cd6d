import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AnyWorkflow } from '../../sdk/context.ts';
import { defineWorkflow } from '../../sdk/define-workflow.ts';
import { startEmbeddedWorker } from '../../sdk/worker/embedded-worker.ts';
import { Registry } from '../../sdk/worker/registry.ts';
import type { RunId } from '../../shared/model/run.ts';
import type { Table } from '../../shared/ports/table.ts';
import { createEngine, type Engine, type EngineParts } from '../../shared/store/engine.ts';
import { claimRun } from '../../shared/usecases/claim-run.ts';
import { listSteps } from '../../shared/usecases/list-steps.ts';
import { recordSleep } from '../../shared/usecases/record-sleep.ts';
import { recordStep } from '../../shared/usecases/record-step.ts';
import { readRunMessage } from '../../shared/usecases/run-message.ts';
import { type CutOff, cutOff } from '../helpers/cut-off.ts';
import { type TestEngine, testEngine } from '../helpers/test-engine.ts';
import { WorkflowDriver } from '../helpers/workflow-driver.ts';

const NAP = '1 hour';
/** Of a run that is not put down, because something of it is under way. */
const WHILE = '2 minutes';
const forever = (): Promise<never> => new Promise(() => undefined);

let parts: EngineParts | undefined;
let test: TestEngine;
let driver: WorkflowDriver;
beforeEach(async () => {
  test = await testEngine({ wrap: (given) => (parts = given) });
  driver = new WorkflowDriver(test);
});
afterEach(async () => {
  await driver.stop();
  await test.close();
});

function serve(engine: Engine, ...workflows: readonly AnyWorkflow[]): void {
  const registry = new Registry(workflows);
  const log = (): void => undefined;
  startEmbeddedWorker({ engine, registry, namespace: 'shop', taskQueue: 'default', maxConcurrent: 10, log });
}

/** A worker in a process of its own, which can be cut off from the table. */
function serveApart(...workflows: readonly AnyWorkflow[]): CutOff<Table> {
  if (parts === undefined) throw new Error('no parts');
  const apart = cutOff(parts.table);
  serve(createEngine({ ...parts, table: apart.port }), ...workflows);
  return apart;
}

/** The first owner of a run: it has claimed it, and says nothing for now. */
async function claimedBySilent(): Promise<Extract<Awaited<ReturnType<typeof claimRun>>, { outcome: 'claimed' }>> {
  const [delivery] = await test.queue.receive('default', { max: 1, waitMs: 0, visibilityMs: 1000 });
  const message = delivery && readRunMessage(delivery.body);
  const claim = message && (await claimRun(test.engine, message, { owner: 'silent', session: null }));
  if (claim?.outcome !== 'claimed') throw new Error('the run was not claimed');
  return claim;
}

const keysOf = async (run: RunId): Promise<readonly string[]> =>
  (await listSteps(test.engine, { ...run, pageSize: 100 })).steps.map(({ step }) => step.stepId);

describe('a worker that writes after it has lost its run', () => {
  it('changes no race that its successor has seen decided', async () => {
    let worker = 1;
    const winners: string[] = [];
    let apart: CutOff<Table> | undefined;
    const flow = defineWorkflow({ type: 'flow' }, async (ctx) => {
      const winner = await ctx.race([
        (c) =>
          c.step('slow', async () => {
            if (worker === 2) await forever();
            apart?.cut();
            return 'slow';
          }),
        (c) => c.step('fast', () => (worker === 1 ? forever() : 'fast')),
      ]);
      winners.push(winner);
      await ctx.step('ship', () => winner);
      await ctx.sleep('nap', NAP);
      return winner;
    });
    apart = serveApart(flow);
    const run = await driver.start(flow, undefined);
    await test.passes(2000);
    worker = 2;
    driver.serve(flow);
    await test.passes(60_000);
    expect(winners).toEqual(['fast']);
    apart.heal();
    await test.passes(2000);
    expect((await driver.ended(run)).output).toBe('"fast"');
    expect(new Set(winners)).toEqual(new Set(['fast']));
  });

  it('changes nothing by an order that its successor has given to something else', async () => {
    const seen: string[] = [];
    const flow = defineWorkflow({ type: 'flow' }, async (ctx) => {
      const first = await Promise.race([ctx.step('b', forever), ctx.step('a', () => 'a')]);
      seen.push(first);
      await ctx.sleep('nap', WHILE);
      return first;
    });
    const run = await driver.start(flow, undefined);
    const { run: former } = await claimedBySilent();
    driver.serve(flow);
    await test.passes(40_000);
    const late = { stepId: 'b', output: '"b"', startedAt: 0, position: 0, seen: 0, order: 1, attempt: 1 };
    // The successor has shown the start of its own b by now, and its word counts.
    await expect(recordStep(test.engine, former, late)).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
    await driver.stop();
    driver.serve(flow);
    expect((await driver.ended(run)).output).toBe('"a"');
    expect(new Set(seen)).toEqual(new Set(['a']));
  });

  it('gives its result to its successor, wherever in its own way it stood', async () => {
    const flow = defineWorkflow({ type: 'flow' }, async (ctx) => {
      const first = await ctx.step('first', () => 'done');
      const second = await ctx.step('second', () => 'ours');
      await ctx.sleep('nap', NAP);
      return [first, second];
    });
    const run = await driver.start(flow, undefined);
    const { run: former } = await claimedBySilent();
    const at = { startedAt: 0, attempt: 1, position: 7, seen: 5, order: 6 };
    await recordStep(test.engine, former, { stepId: 'second', output: '"theirs"', ...at });
    await recordSleep(test.engine, former, { stepId: 'nap', until: test.clock.now() + 5_000, position: 8, seen: 6 });
    driver.serve(flow);
    const { run: ended, output, error } = await driver.ended(run);
    expect(error).toBeNull();
    expect(output).toBe('["done","theirs"]');
    expect('finishedAt' in ended && ended.finishedAt - ended.createdAt).toBeLessThan(3_600_000);
  });

  it('leaves a gap that its successor does not wait for, and cannot fill it later', async () => {
    const winners: string[] = [];
    const flow = defineWorkflow({ type: 'flow' }, async (ctx) => {
      const all = ['a', 'b', 'c'].map((id) => ctx.step(id, () => (id === 'a' ? forever() : id)));
      const winner = await Promise.race(all);
      winners.push(winner);
      await ctx.sleep('nap', WHILE);
      return winner;
    });
    const run = await driver.start(flow, undefined);
    const { run: former } = await claimedBySilent();
    const at = (position: number) => ({ startedAt: 0, attempt: 1, position, seen: 0, order: position + 1 });
    // Three results were on their way, and the second has arrived.
    await recordStep(test.engine, former, { stepId: 'b', output: '"b"', ...at(1) });
    driver.serve(flow);
    await test.passes(40_000);
    const [winner] = winners;
    await recordStep(test.engine, former, { stepId: 'extra', output: '"a"', ...at(0) });
    await driver.stop();
    driver.serve(flow);
    expect((await driver.ended(run)).output).toBe(JSON.stringify(winner));
    expect(new Set(winners)).toEqual(new Set([winner]));
    expect(await keysOf(run)).toContain('extra');
  });
});

describe('the number of steps that the head knows', () => {
  it('is right after children and retries have ended under a later owner', async () => {
    const kid = defineWorkflow({ type: 'kid' }, async (ctx) => {
      await ctx.sleep('s', '1 minute');
      return 1;
    });
    const flow = defineWorkflow({ type: 'flow' }, async (ctx) => {
      await ctx.parallel([0, 1, 2, 3].map(() => (c) => c.call('kid', kid, undefined)));
      const flaky = ({ attempt }: { readonly attempt: number }): number => {
        if (attempt === 1) throw new Error('not yet');
        return attempt;
      };
      const retry = { kind: 'fixed', interval: '1 minute' } as const;
      await ctx.map([0, 1, 2, 3], (_, c) => c.step('flaky', flaky, { retry }));
      await ctx.step('long', () => test.clock.sleep(15_000));
      await ctx.sleep('nap', NAP);
      return 'done';
    });
    driver.serve(flow, kid);
    const { run, error } = await driver.ended(await driver.start(flow, undefined));
    expect(error).toBeNull();
    expect(run.status).toBe('COMPLETED');
  });
});
