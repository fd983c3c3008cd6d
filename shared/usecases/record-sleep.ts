import type { RunningRun } from '../model/run.ts';
import type { SleepStep, Step } from '../model/step.ts';
import { type Place, traceBy } from '../model/trace.ts';
import type { Engine } from '../store/engine.ts';
import { FIRST, writeStep } from '../store/steps.ts';
import { leaseOf, scopeOf } from './lease.ts';

export interface RecordSleep extends Place {
  readonly stepId: string;
  /** Absolute; recorded once and never computed again. */
  readonly until: number;
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
    traces: traceBy(run.epoch, request),
    input: null,
    inputDigest: null,
    retryPolicy: null,
    parentStepId: null,
    parallelGroup: request.parallelGroup ?? null,
    childRunId: null,
    childType: null,
    createdAt: now,
    startedAt: now,
    failedAttempts: [],
    readUnits: 0,
    writeUnits: 0,
  };
  const write = await writeStep(engine, scopeOf(leaseOf(run)), step, FIRST);
  return write.ok ? write.step : write.current;
}
