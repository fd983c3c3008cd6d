import { KagziError } from '../model/errors.ts';
import type { Run, RunningRun } from '../model/run.ts';
import type { Engine } from '../store/engine.ts';
import { findStep } from '../store/find-step.ts';
import { countSteps, findPacked } from '../store/history.ts';
import { readRun } from '../store/run-head.ts';
import { sleepHead } from '../store/runs.ts';
import { holds, leaseLost, putDown, type RunLease, requireLease } from './lease.ts';
import { preserveHistory } from './preserve-history.ts';
import { type RecordSleep, recordSleep } from './record-sleep.ts';

export type SleepRun = RecordSleep;

export interface SleepAnswer {
  readonly run: Run;
  readonly wakeAt: number;
  /** The sleep recorded under this id is over: the run goes on in the worker's hands. */
  readonly elapsed: boolean;
}

/** The wake time is a write-once decision; asked for it again, the run gets the one recorded. */
export async function sleepRun(engine: Engine, lease: RunLease, request: SleepRun): Promise<SleepAnswer> {
  const run = await readRun(engine, lease);
  if (!holds(run, lease)) return repeated(engine, run, lease, request);
  const wakeAt = await decideWakeTime(engine, run, request);
  if (wakeAt <= engine.clock.now()) return { run: await requireLease(engine, lease), wakeAt, elapsed: true };
  const ready = await preserveHistory(engine, run, wakeAt);
  const steps = await countSteps(engine, ready);
  const asleep = await putDown(engine, ready, wakeAt, (held, timerAt) =>
    sleepHead(engine, held, { at: wakeAt, timerAt, steps }),
  );
  engine.telemetry.count('sleeps_started', 1, { workflow_type: run.workflowType });
  return { run: asleep, wakeAt, elapsed: false };
}

/** The same call once more, after its answer was lost: nobody else can have put the run to sleep in this epoch. */
async function repeated(engine: Engine, run: Run | null, lease: RunLease, { stepId }: SleepRun): Promise<SleepAnswer> {
  const asleep = run?.status === 'SLEEPING' && run.incarnation === lease.incarnation && run.epoch === lease.epoch;
  const step = asleep ? await findStep(engine, run, stepId) : null;
  if (!asleep || step?.status !== 'SLEEPING') throw leaseLost(lease, run);
  return { run, wakeAt: step.wakeAt, elapsed: false };
}

async function decideWakeTime(engine: Engine, run: RunningRun, request: SleepRun): Promise<number> {
  const recorded = (await findPacked(engine, run, request.stepId)) ?? (await recordSleep(engine, run, request));
  if (recorded.status === 'SLEEPING') return recorded.wakeAt;
  const { kind, status } = recorded;
  throw new KagziError('STEP_KIND_CONFLICT', `The step "${request.stepId}" is no sleep: it is a ${kind} step.`, {
    kind,
    status,
  });
}
