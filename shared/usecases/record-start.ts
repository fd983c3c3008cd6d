import type { RunningRun } from '../model/run.ts';
import { isDecided, type RunningStep, type Step, type StepKind } from '../model/step.ts';
import { type Place, traceBy } from '../model/trace.ts';
import type { Condition } from '../ports/table.ts';
import type { Engine } from '../store/engine.ts';
import { FIRST, unchanged, unchangedOrPacked, writeStep } from '../store/steps.ts';
import { leaseLost, leaseOf, scopeOf } from './lease.ts';

export interface RecordStart extends Place, Known {
  readonly stepId: string;
  readonly attempt: number;
  readonly startedAt: number;
  readonly kind?: StepKind | undefined;
  readonly childRunId?: string | undefined;
  readonly childType?: string | undefined;
  readonly parallelGroup?: string | null | undefined;
}

/** What a worker has to say of a step beside what happened to it. */
export interface Known {
  readonly kind?: StepKind | undefined;
  /** As it is recorded, to the worker's knowledge: its item may lie in a pack, where no write would meet it. */
  readonly known?: Step | undefined;
}

/** Makes a direct worker's start of a step visible. What stands in its way is answered: a result, or another's start. */
export async function recordStart(engine: Engine, run: RunningRun, request: RecordStart): Promise<Step> {
  const scope = scopeOf(leaseOf(run));
  const fresh = runningStep(engine, run, request);
  let seen = request.known;
  if (seen?.status === 'RUNNING') return seen;
  for (;;) {
    const step: RunningStep = continued(engine, run, seen, fresh);
    const write = await writeStep(engine, scope, step, asKnown(seen, seen !== request.known));
    if (write.ok) return write.step;
    if (isDecided(write.current) || write.current.status === 'RUNNING') return write.current;
    seen = billed(write.current);
  }
}

/** A start as it is recorded, also by those who record a later state of it in one write. */
export const runningStep = (engine: Engine, run: RunningRun, request: RecordStart): RunningStep => ({
  stepId: request.stepId,
  kind: request.kind ?? 'FUNCTION',
  status: 'RUNNING',
  epoch: run.epoch,
  attempt: request.attempt,
  writeId: engine.ids.writeId(),
  leaseToken: run.lease.token,
  traces: traceBy(run.epoch, request),
  input: null,
  inputDigest: null,
  retryPolicy: null,
  parentStepId: null,
  parallelGroup: request.parallelGroup ?? null,
  childRunId: request.childRunId ?? null,
  childType: request.childType ?? null,
  createdAt: request.startedAt,
  startedAt: request.startedAt,
  failedAttempts: [],
  readUnits: 0,
  writeUnits: 0,
});

/**
 * The next state of a step that is recorded already. Where it stands in the execution is for its present owner to say;
 * an owner of before that finds a later one's record has lost the run.
 */
export function continued<Next extends Step>(
  engine: Engine,
  run: RunningRun,
  seen: Step | undefined,
  next: Next,
): Next {
  if (seen === undefined) return next;
  if (seen.epoch > run.epoch) throw leaseLost(leaseOf(run), null);
  const traces = next.traces.length > 0 ? next.traces : seen.traces;
  return { ...next, ...story(seen), traces, writeId: engine.ids.writeId() };
}

/** What the history says may lie in a pack, and have no item; what a write lost to has one. */
export function asKnown(seen: Step | undefined, isItem: boolean): Condition {
  if (seen === undefined) return FIRST;
  return isItem ? unchanged(seen) : unchangedOrPacked(seen);
}

/** The write that lost to it was billed too. */
export const billed = (step: Step): Step => ({ ...step, writeUnits: step.writeUnits + 1 });

/** What earlier records of the step say stays said. */
const story = (seen: Step) => ({
  kind: seen.kind,
  input: seen.input,
  inputDigest: seen.inputDigest,
  retryPolicy: seen.retryPolicy,
  parallelGroup: seen.parallelGroup,
  childRunId: seen.childRunId,
  childType: seen.childType,
  createdAt: seen.createdAt,
  failedAttempts: seen.failedAttempts,
  writeUnits: seen.writeUnits,
  readUnits: seen.readUnits,
});
