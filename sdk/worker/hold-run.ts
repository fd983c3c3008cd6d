import { traceparentOf } from '../../shared/model/request-trace.ts';
import { Stop } from '../../shared/model/stop.ts';
import type { Engine } from '../../shared/store/engine.ts';
import type { ClaimResult } from '../../shared/usecases/claim-run.ts';
import type { AnyWorkflow } from '../context.ts';
import { executeRun, type RunOutcome } from '../replay/execute-run.ts';
import type { ExecutionParts } from '../replay/execution.ts';
import { RunLostError } from '../replay/journal.ts';
import type { LogSink } from '../replay/log-sink.ts';
import { DirectJournal, type Proof } from './direct-journal.ts';
import { leaseKeeper } from './lease-keeper.ts';

type Claimed = Extract<ClaimResult, { readonly outcome: 'claimed' }>;

export interface HoldRun {
  readonly workflow: AnyWorkflow;
  readonly claim: Claimed;
  readonly claimSentAt: Proof;
  readonly holdMs: number;
  /** The worker must go at once. */
  readonly leaving: Stop;
  /** Whether that comes by the clock, for every worker of its kind alike: then a body it cuts short may never end. */
  readonly hasDeadline?: boolean;
  readonly handover: Stop;
  readonly log: LogSink;
  readonly logErrors?: boolean;
  readonly stub?: ExecutionParts['stub'];
}

/** Executes a claimed run while renewing its lease; 'lost' if somebody else has it now. */
export async function holdRun(engine: Engine, held: HoldRun): Promise<RunOutcome | 'lost'> {
  const journal = await DirectJournal.open(engine, held.claim, held.claimSentAt);
  const giveUp = new Stop();
  let isLost = false;
  const leave = (reason: unknown): void => giveUp.tell(reason);
  held.leaving.listen(leave);
  if (held.leaving.isTold) leave(held.leaving.reason);
  /** One that fails for the world's sake is tried again; one that finds the run lost ends it. */
  const renew = async (): Promise<void> => {
    try {
      await journal.renew();
    } catch (error) {
      if (giveUp.isTold) return;
      if (error instanceof RunLostError) {
        isLost = true;
        giveUp.tell(error.reason);
        return;
      }
      engine.telemetry.log('warn', 'a lease could not be renewed; it is tried again', { error: String(error) });
    }
  };
  const letGo = leaseKeeper(engine).keep(renew);
  try {
    const { workflow, holdMs, handover, log, logErrors = false, stub } = held;
    const traceparent = engine.trace === undefined ? null : traceparentOf(engine.trace);
    const parts = { workflow, journal, clock: engine.clock, holdMs, giveUp, handover, log, logErrors, traceparent };
    return await executeRun({ ...parts, ...(stub && { stub }) });
  } catch (error) {
    if (!(error instanceof RunLostError)) throw error;
    if (isLost || !held.leaving.isTold) return 'lost';
    // Cut short by the worker's own end: another one need not wait for the lease to lapse.
    await (held.hasDeadline === true ? journal.cutShort() : journal.release()).catch(() => undefined);
    return 'handed-over';
  } finally {
    held.leaving.unlisten(leave);
    letGo();
  }
}
