import { describe, expect, it } from 'vitest';
import { MemoryBlobs } from '../../sdk/testing/memory-blobs.ts';
import { startEmbeddedWorker } from '../../sdk/worker/embedded-worker.ts';
import { Registry } from '../../sdk/worker/registry.ts';
import type { RunId } from '../../shared/model/run.ts';
import { createEngine, type Engine, type EngineParts } from '../../shared/store/engine.ts';
import { getRun, type RunDetails } from '../../shared/usecases/get-run.ts';
import { listSteps } from '../../shared/usecases/list-steps.ts';
import { type CrashingParts, crashAfter } from '../helpers/crashing-parts.ts';
import { type TestEngine, testEngine } from '../helpers/test-engine.ts';
import { WorkflowDriver } from '../helpers/workflow-driver.ts';
import { crashFlows, type Flow, type Ledger } from './crash-flows.ts';

const LEASE_MS = 3_000;

interface Outcome {
  readonly output: string | undefined;
  readonly calls: number;
  /** Bodies that ran again though their step was recorded before the crash. */
  readonly repeated: readonly string[];
  /** Children that exist. */
  readonly children: number;
}

function serve(engine: Engine, { workflows }: Flow): void {
  startEmbeddedWorker({
    engine,
    registry: new Registry(workflows),
    namespace: 'shop',
    taskQueue: 'default',
    maxConcurrent: 10,
    log: () => undefined,
  });
}

/** Blobs are kept in memory: files answer when they like, and a crash is to come at the same point every time. */
async function runWithCrash(index: number, crashAt: number): Promise<Outcome> {
  const ledger: Ledger = new Map();
  const flow = crashFlows(ledger)[index] as Flow;
  let parts: EngineParts | undefined;
  const test = await testEngine({
    config: { leaseMs: LEASE_MS, heartbeatMs: 1_000 },
    wrap: (given) => (parts = { ...given, blobs: new MemoryBlobs(given.clock) }),
  });
  try {
    if (parts === undefined) throw new Error('no parts');
    const process = crashAfter(parts, crashAt);
    serve(createEngine(process.parts), flow);
    const driver = new WorkflowDriver(test);
    const run = await driver.start(flow.workflows[0], undefined);
    const details = await driver.ended(run, 2_000, () => takeOver(test, process, flow, run, ledger));
    const children = await countChildren(test, run);
    return { output: outputOf(details), calls: process.calls(), repeated: repeats(ledger), children };
  } finally {
    await test.close();
  }
}

async function countChildren(test: TestEngine, run: RunId): Promise<number> {
  const { steps } = await listSteps(test.engine, { ...run, pageSize: 100 });
  const ids = steps.flatMap(({ step: { childRunId } }) => (childRunId === null ? [] : [childRunId]));
  const found = ids.map((runId) => getRun(test.engine, { ...run, runId }).then(Boolean, () => false));
  return (await Promise.all(found)).filter(Boolean).length;
}

const outputOf = ({ run, output, error }: RunDetails): string | undefined =>
  run.status === 'COMPLETED' ? output : `${run.status}: ${error?.message}`;

const recordedAtCrash = new WeakMap<Ledger, ReadonlyMap<string, number>>();

/** The moment the process is dead: notes what is recorded, and lets another one serve. */
async function takeOver(
  test: TestEngine,
  process: CrashingParts,
  flow: Flow,
  run: RunId,
  ledger: Ledger,
): Promise<void> {
  if (!process.isDead() || recordedAtCrash.has(ledger)) return;
  const { steps } = await listSteps(test.engine, { ...run, pageSize: 100 });
  const done = steps.filter(({ step }) => step.status === 'COMPLETED' || step.status === 'FAILED');
  const names = done.map(({ step }) => step.stepId);
  recordedAtCrash.set(ledger, new Map([...ledger].filter(([name]) => names.includes(name))));
  serve(test.engine, flow);
}

const repeats = (ledger: Ledger): string[] =>
  [...(recordedAtCrash.get(ledger) ?? [])].flatMap(([name, count]) => ((ledger.get(name) ?? 0) > count ? [name] : []));

describe('a worker that dies after any of its port calls', () => {
  it.each(crashFlows(new Map()).map(({ name }, index) => [name, index] as const))(
    '%s: another one ends the run the same, and repeats no completed step',
    { timeout: 120_000 },
    async (_name, index) => {
      const calm = await runWithCrash(index, Number.POSITIVE_INFINITY);
      expect(calm.output).not.toMatch(/^(FAILED|CANCELLED)/);
      expect(calm.calls).toBeGreaterThan(3);
      expect(calm.children > 0).toBe((crashFlows(new Map())[index] as Flow).workflows.length > 1);
      for (let crashAt = 1; crashAt <= calm.calls; crashAt++) {
        const { output, repeated, children } = await runWithCrash(index, crashAt);
        const same = { crashAt, output: calm.output, repeated: [], children: calm.children };
        expect({ crashAt, output, repeated, children }).toEqual(same);
      }
    },
  );
});
