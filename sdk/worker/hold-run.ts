import { linkSignals } from '../../shared/model/link-signals.ts';
import type { Engine } from '../../shared/store/engine.ts';
import type { ClaimResult } from '../../shared/usecases/claim-run.ts';
import type { AnyWorkflow } from '../context.ts';
import { executeRun, type RunOutcome } from '../replay/execute-run.ts';
import type { ExecutionParts } from '../replay/execution.ts';
import { RunLostError } from '../replay/journal.ts';
import type { LogSink } from '../replay/log-sink.ts';
import { DirectJournal, type Proof } from './direct-journal.ts';

type Claimed = Extract<ClaimResult, { readonly outcome: 'claimed' }>;

export interface HoldRun {
  readonly workflow: AnyWorkflow;
  readonly claim: Claimed;
  readonly claimSentAt: Proof;
  readonly holdMs: number;
  /** The worker must go at once. */
  readonly signal: AbortSignal;
  /** Whether that comes by the clock, for every worker of its kind alike: then a body it cuts short may never end. */
  readonly hasDeadline?: boolean;
  readonly handover: AbortSignal;
  readonly log: LogSink;
  readonly logErrors?: boolean;
  readonly stub?: ExecutionParts['stub'];
}

/** Executes a claimed run while renewing its lease; 'lost' if somebody else has it now. */
export async function holdRun(engine: Engine, held: HoldRun): Promise<RunOutcome | 'lost'> {
  const journal = await DirectJournal.open(engine, held.claim, held.claimSentAt);
  const lost = new AbortController();
  const done = new AbortController();
  const { signal, unlink } = linkSignals(held.signal, lost.signal);
  void keep(engine, journal, lost, done.signal);
  try {
    const { workflow, holdMs, handover, log, logErrors = false, stub } = held;
    const parts = { workflow, journal, clock: engine.clock, holdMs, signal, handover, log, logErrors };
    return await executeRun({ ...parts, ...(stub && { stub }) });
  } catch (error) {
    if (!(error instanceof RunLostError)) throw error;
    if (lost.signal.aborted || !held.signal.aborted) return 'lost';
    // Cut short by the worker's own end: another one need not wait for the lease to lapse.
    await (held.hasDeadline === true ? journal.cutShort() : journal.release()).catch(() => undefined);
    return 'handed-over';
  } finally {
    unlink();
    done.abort();
  }
}

/** Renews three times a lease. A renewal that fails for the world's sake is tried again; one that lost ends it. */
async function keep(engine: Engine, journal: DirectJournal, lost: AbortController, done: AbortSignal): Promise<void> {
  while (!done.aborted) {
    try {
      await engine.clock.sleep(engine.config.leaseMs / 3, done);
      await journal.renew();
    } catch (error) {
      if (error instanceof RunLostError) lost.abort(error.reason);
      if (done.aborted || lost.signal.aborted) return;
      engine.telemetry.log('warn', 'a lease could not be renewed; it is tried again', { error: String(error) });
    }
  }
}
