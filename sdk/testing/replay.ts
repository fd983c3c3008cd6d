import type { Failure } from '../../shared/model/failure.ts';
import { Stop } from '../../shared/model/stop.ts';
import { NOTHING_TOLD, type Trace } from '../../shared/model/trace.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import type { AnyWorkflow } from '../context.ts';
import { NonDeterminismError } from '../errors.ts';
import type { ExportedRun, ExportedStep } from '../exported-run.ts';
import { runCode } from '../replay/execute-run.ts';
import { Execution } from '../replay/execution.ts';
import type { Journal, RecordedStep } from '../replay/journal.ts';
import { encodeValue } from '../values.ts';

export interface ReplayResult {
  /** `completed`: the code ran to its end; `waiting`: it asked for something the history does not have. */
  readonly ended: 'completed' | 'threw' | 'waiting';
  readonly steps: number;
}

/** Thrown where a replay would have to do something new. */
class EndOfHistory extends Error {}

/**
 * Runs new code against a recorded history, executing nothing. Throws NonDeterminismError where the code asks for
 * something else than the history has, or ends with another output.
 */
export async function replay(history: ExportedRun, workflow: AnyWorkflow): Promise<ReplayResult> {
  let mismatch: unknown;
  for (const epoch of followed(history)) {
    try {
      return await replayAs(history, workflow, epoch);
    } catch (error) {
      mismatch ??= error;
    }
  }
  throw mismatch;
}

/**
 * Whose telling may have led to the end, the likeliest first. Whoever ended the run may have recorded nothing of its
 * own, and a former owner may have recorded something after the end: then it was some earlier owner's.
 */
function followed({ run, epoch, steps }: ExportedRun): readonly number[] {
  const epochs = steps.flatMap(({ traces = [] }) => traces.map((trace) => trace.epoch));
  const ends = run.status === 'COMPLETED' && epoch !== undefined && !epochs.includes(epoch);
  if (!ends || epochs.length === 0) return [epoch ?? Number.POSITIVE_INFINITY];
  return [...new Set(epochs)].sort((a, b) => b - a);
}

/** As the owner of this epoch knew it. */
async function replayAs(history: ExportedRun, workflow: AnyWorkflow, epoch: number): Promise<ReplayResult> {
  const never = new Stop();
  const journal = recordedJournal(history, epoch);
  const log = (): void => undefined;
  const parts = { workflow, journal, clock: ENDED_CLOCK, holdMs: 0, giveUp: never, handover: never, log };
  try {
    const ending = await runCode(new Execution(parts));
    if (ending.how === 'threw' && ending.error instanceof NonDeterminismError) throw ending.error;
    if (ending.how === 'returned') requireSameOutput(history, ending.value);
    return { ended: ending.how === 'returned' ? 'completed' : 'threw', steps: journal.steps.length };
  } catch (error) {
    if (!(error instanceof EndOfHistory)) throw error;
    if (history.run.status === 'COMPLETED') {
      throw new NonDeterminismError(`The run is COMPLETED, but the code goes on: ${error.message}`);
    }
    return { ended: 'waiting', steps: journal.steps.length };
  }
}

function requireSameOutput({ run }: ExportedRun, value: unknown): void {
  if (run.status !== 'COMPLETED') return;
  const recorded = run.output === undefined ? undefined : JSON.stringify(run.output);
  const now = encodeValue(value);
  if (recorded === now) return;
  throw new NonDeterminismError(
    `The run ended with ${recorded ?? 'nothing'}, but the code returns ${now ?? 'nothing'}.`,
  );
}

/** Whatever was to come by time has come. */
const ENDED_CLOCK: Clock = {
  now: () => Number.MAX_SAFE_INTEGER,
  monotonic: () => 0,
  sleep: (ms) => (Number.isFinite(ms) ? Promise.resolve() : new Promise(() => undefined)),
};

const textOf = (value: unknown): string | undefined => (value === undefined ? undefined : JSON.stringify(value));
const msOf = (time: string | null): number => (time === null ? 0 : Date.parse(time));

function recordedJournal({ incarnation = '', run, steps }: ExportedRun, tip: number): Journal {
  const isChild = (key: string): boolean => steps.some((step) => step.step_id === key && step.child_run_id !== null);
  const end = (what: string) => (): Promise<never> => Promise.reject(new EndOfHistory(what));
  return {
    run: {
      namespace: run.namespace,
      runId: run.run_id,
      workflowType: run.workflow_type,
      version: run.version,
      taskQueue: run.task_queue,
      externalId: run.external_id,
      scheduleId: run.schedule_id ?? null,
      fireAt: run.fire_at ? new Date(run.fire_at) : null,
      parentRunId: run.parent?.run_id ?? null,
      attempt: run.attempts ?? 1,
      createdAt: new Date(run.created_at),
    },
    incarnation,
    epoch: 0,
    startedAt: msOf(run.started_at ?? run.created_at),
    input: textOf(run.input),
    steps: steps.map((step) => recordedStep(step, tip)),
    readArrivals: () => Promise.resolve({ count: 0, endedChildren: new Map(), cancel: null }),
    onArrival: () => undefined,
    begin: (place) => end(`it begins the step "${place.key}"`)(),
    showStart: end('it shows a start'),
    complete: (place) =>
      end(place.key.startsWith('$') ? 'the schema makes something else of its input' : 'it completes a step')(),
    fail: end('it fails a step'),
    sleep: (place) => end(`it begins the sleep "${place.key}"`)(),
    observe: () => Promise.resolve(),
    // That it was started is recorded; whether it has ended by now is of no interest to code that goes on without it.
    startChild: ({ key }) => (isChild(key) ? Promise.resolve({ ended: false }) : end(`it starts the child "${key}"`)()),
    childEnd: end('it asks for a child'),
    cancelChild: () => Promise.resolve(),
    suspend: end('it waits'),
    completeRun: end('it completes'),
    failRun: end('it fails'),
    cancelRun: end('it is cancelled'),
    release: end('it is handed over'),
  };
}

function recordedStep(step: ExportedStep, tip: number): RecordedStep {
  return {
    key: step.step_id,
    kind: step.kind,
    traces: (step.traces ?? tracesOf(step)).filter(({ epoch }) => epoch <= tip),
    attempt: step.attempt,
    startedAt: msOf(step.started_at ?? null),
    childRunId: step.child_run_id,
    childType: step.child_type ?? null,
    state: stateOf(step),
  };
}

/** A history written by hand says what was asked for and told, not by whom. */
const tracesOf = ({ position = null, order = null }: ExportedStep): readonly Trace[] =>
  position === null && order === null ? [] : [{ epoch: 1, position, seen: null, slept: 0, base: NOTHING_TOLD, order }];

function stateOf(step: ExportedStep): RecordedStep['state'] {
  if (step.kind === 'SLEEP') return { status: 'SLEEPING', wakeAt: msOf(step.wake_at) };
  const finishedAt = msOf(step.finished_at);
  if (step.status === 'COMPLETED') return { status: 'COMPLETED', output: textOf(step.output), finishedAt };
  if (step.status === 'FAILED' && step.error !== null)
    return { status: 'FAILED', error: failureOf(step.error), finishedAt };
  return { status: 'RUNNING' };
}

const failureOf = (error: NonNullable<ExportedStep['error']>): Failure => ({
  code: error.code,
  message: error.message,
  nonRetryable: error.non_retryable,
  stack: error.stack,
  details: textOf(error.details) ?? null,
});
