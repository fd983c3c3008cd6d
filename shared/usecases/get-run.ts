import { KagziError } from '../model/errors.ts';
import { type Failure, failure } from '../model/failure.ts';
import { isEnded, type Run, type RunId } from '../model/run.ts';
import { Stop } from '../model/stop.ts';
import type { Engine } from '../store/engine.ts';
import { headKey } from '../store/keys.ts';
import { loadPayload, MissingPayloadError, type PayloadText } from '../store/payloads.ts';
import { readRun } from '../store/run-head.ts';

/** A run with its payloads, as it is shown. */
export interface RunDetails {
  readonly run: Run;
  readonly input: PayloadText | undefined;
  readonly output: PayloadText | undefined;
  readonly error: Failure | null;
}

export const runNotFound = (runId: string): KagziError =>
  new KagziError('RUN_NOT_FOUND', `There is no run ${runId}.`, { run_id: runId });

export async function requireRun(engine: Engine, id: RunId): Promise<Run> {
  const run = await readRun(engine, id);
  if (run === null) throw runNotFound(id.runId);
  return run;
}

/** With `waitMs`, answers when the run has ended or the time is up, whichever is first. */
export async function getRun(
  engine: Engine,
  id: RunId,
  options: { readonly waitMs?: number | undefined; readonly signal?: AbortSignal | undefined } = {},
): Promise<RunDetails> {
  if ((options.waitMs ?? 0) <= 0) return shownDetails(engine, await requireRun(engine, id));
  const deadline = engine.clock.monotonic() + (options.waitMs ?? 0);
  const done = new Stop();
  const stop = (): void => done.tell();
  options.signal?.addEventListener('abort', stop);
  if (options.signal?.aborted === true) stop();
  try {
    for (;;) {
      const left = deadline - engine.clock.monotonic();
      // Asked for before the read, so that no change falls between the two.
      const change = left > 0 ? engine.table.awaitChange(headKey(id), left, done) : null;
      const run = await requireRun(engine, id);
      if (change === null || isEnded(run) || done.isTold) return await shownDetails(engine, run);
      await change;
    }
  } finally {
    done.tell();
    options.signal?.removeEventListener('abort', stop);
  }
}

/** To look at a run must work also when a payload of it is gone. */
function shownDetails(engine: Engine, run: Run): RunDetails | Promise<RunDetails> {
  const details = runDetails(engine, run);
  if (!(details instanceof Promise)) return details;
  return details.catch((error: unknown) => {
    if (!(error instanceof MissingPayloadError)) throw error;
    engine.telemetry.log('error', 'a payload is missing', { namespace: run.namespace, run_id: run.runId });
    return { run, input: undefined, output: undefined, error: run.status === 'FAILED' ? run.error : null };
  });
}

/** Most payloads lie in the head, and nothing is to be waited for. */
export function runDetails(engine: Engine, run: Run): RunDetails | Promise<RunDetails> {
  const input = loadPayload(engine, run, run.incarnation, run.input);
  const result = loadPayload(engine, run, run.incarnation, resultOf(run));
  return input instanceof Promise || result instanceof Promise
    ? Promise.all([input, result]).then((loaded) => detailsOf(run, ...loaded))
    : detailsOf(run, input, result);
}

const resultOf = (run: Run): Run['input'] =>
  run.status === 'COMPLETED' ? run.output : run.status === 'FAILED' ? run.wholeError : null;

const detailsOf = (run: Run, input: PayloadText | undefined, result: PayloadText | undefined): RunDetails => ({
  run,
  input,
  output: run.status === 'COMPLETED' ? result : undefined,
  error: run.status === 'FAILED' ? wholeError(run.error, result) : null,
});

const wholeError = (short: Failure, whole: PayloadText | undefined): Failure =>
  whole === undefined ? short : failure(JSON.parse(whole) as Failure);
