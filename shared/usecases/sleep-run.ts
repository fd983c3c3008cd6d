import { KagziError } from '../model/errors.ts';
import type { Run, RunningRun } from '../model/run.ts';
import type { SleepStep, Step } from '../model/step.ts';
import { dispatch } from '../store/dispatch.ts';
import type { Engine } from '../store/engine.ts';
import { extendData } from '../store/extend-history.ts';
import { countSteps, outlives, packHistory, readHistory } from '../store/history.ts';
import { sleepHead } from '../store/runs.ts';
import { FIRST, writeStep } from '../store/steps.ts';
import { leaseLost, type RunLease, requireLease, scopeOf } from './lease.ts';

export interface SleepRun {
  readonly stepId: string;
  /** Absolute; recorded once and never computed again. */
  readonly until: number;
}

export interface SleepAnswer {
  readonly run: Run;
  readonly wakeAt: number;
  /** The sleep recorded under this id is over: the run goes on in the worker's hands. */
  readonly elapsed: boolean;
}

/** The wake time is a write-once decision; asked for it again, the run gets the one recorded. */
export async function sleepRun(engine: Engine, lease: RunLease, request: SleepRun): Promise<SleepAnswer> {
  const run = await requireLease(engine, lease);
  const wakeAt = await decideWakeTime(engine, run, lease, request);
  if (wakeAt <= engine.clock.now()) return { run: await requireLease(engine, lease), wakeAt, elapsed: true };
  const ready = await preserveHistory(engine, run, wakeAt);
  if (ready === null) throw leaseLost(lease, null);
  const steps = await countSteps(engine, ready);
  const write = await sleepHead(engine, ready, { at: wakeAt, steps, spentWriteUnits: 1 });
  if (!write.ok) throw leaseLost(lease, write.current);
  engine.telemetry.count('sleeps_started', 1, { workflow_type: run.workflowType });
  await dispatch(engine, write.run, wakeAt);
  return { run: write.run, wakeAt, elapsed: false };
}

async function decideWakeTime(engine: Engine, run: RunningRun, lease: RunLease, request: SleepRun): Promise<number> {
  const packed: Step | undefined =
    run.history.packedSteps === 0
      ? undefined
      : (await readHistory(engine, run)).steps.find((step) => step.stepId === request.stepId);
  if (packed?.status === 'SLEEPING') return packed.wakeAt;
  const write = await writeStep(engine, scopeOf(lease), sleepStep(engine, lease, request), FIRST);
  if (write.ok) return (write.step as SleepStep).wakeAt;
  if (write.current.status === 'SLEEPING') return write.current.wakeAt;
  throw new KagziError(
    'STEP_KIND_CONFLICT',
    `The step "${request.stepId}" is no sleep: it is a ${write.current.kind} step.`,
    {
      kind: write.current.kind,
      status: write.current.status,
    },
  );
}

function sleepStep(engine: Engine, lease: RunLease, request: SleepRun): SleepStep {
  const now = engine.clock.now();
  return {
    stepId: request.stepId,
    kind: 'SLEEP',
    status: 'SLEEPING',
    wakeAt: request.until,
    epoch: lease.epoch,
    attempt: 1,
    writeId: engine.ids.writeId(),
    leaseToken: null,
    input: null,
    inputDigest: null,
    retryPolicy: null,
    parentStepId: null,
    parallelGroup: null,
    childRunId: null,
    createdAt: now,
    startedAt: now,
    failedAttempts: [],
    writeUnits: 0,
  };
}

/** Before a sleep that its history would not survive, the history is packed to last. */
async function preserveHistory(engine: Engine, run: RunningRun, wakeAt: number): Promise<RunningRun | null> {
  if (!outlives(run, wakeAt)) return run;
  await extendData(engine, run, wakeAt);
  const packed = await packHistory(engine, run, await readHistory(engine, run), wakeAt);
  return packed.ok ? (packed.run as RunningRun) : null;
}
