import type { RunningRun } from '../model/run.ts';
import type { SleepStep, Step } from '../model/step.ts';
import type { Engine } from '../store/engine.ts';
import { FIRST, writeStep } from '../store/steps.ts';
import { leaseOf, scopeOf } from './lease.ts';

export interface RecordSleep {
  readonly stepId: string;
  /** Absolute; recorded once and never computed again. */
  readonly until: number;
  readonly position?: number | undefined;
  readonly parallelGroup?: string | null | undefined;
}

/** The wake time is a write-once decision: answers what is recorded, whoever recorded it. */
export async function recordSleep(engine: Engine, run: RunningRun, request: RecordSleep): Promise<Step> {
  const now = engine.clock.now();
  const step: SleepStep = {
    stepId: request.stepId,
    kind: 'SLEEP',
    status: 'SLEEPING',
    wakeAt: request.until,
    epoch: run.epoch,
    attempt: 1,
    writeId: engine.ids.writeId(),
    leaseToken: null,
    position: request.position ?? null,
    order: null,
    input: null,
    inputDigest: null,
    retryPolicy: null,
    parentStepId: null,
    parallelGroup: request.parallelGroup ?? null,
    childRunId: null,
    createdAt: now,
    startedAt: now,
    failedAttempts: [],
    readUnits: 0,
    writeUnits: 0,
  };
  const write = await writeStep(engine, scopeOf(leaseOf(run)), step, FIRST);
  return write.ok ? write.step : write.current;
}
