import { KagziError } from '../model/errors.ts';
import type { Run, RunId, RunningRun } from '../model/run.ts';
import { dispatchAround } from '../store/dispatch.ts';
import type { Engine } from '../store/engine.ts';
import { type HeadWrite, readRun } from '../store/run-head.ts';
import type { StepScope } from '../store/steps.ts';

/** What poll hands out and every worker call carries. */
export interface RunLease extends RunId {
  readonly incarnation: string;
  readonly epoch: number;
  readonly generation: number;
  readonly token: string;
}

export const leaseOf = (run: RunningRun): RunLease => ({
  namespace: run.namespace,
  runId: run.runId,
  incarnation: run.incarnation,
  epoch: run.epoch,
  generation: run.history.generation,
  token: run.lease.token,
});

export const scopeOf = (lease: RunLease): StepScope => lease;

export const encodeLease = (lease: RunLease): string =>
  `${lease.incarnation}.${lease.epoch}.${lease.generation}.${lease.token}`;

export function decodeLease(run: RunId, text: string): RunLease | null {
  const [, incarnation, epoch, generation, token] =
    /^([\w-]{1,40})\.(\d{1,15})\.(\d{1,15})\.([\w-]{1,64})$/.exec(text) ?? [];
  if (incarnation === undefined || token === undefined) return null;
  return { ...run, incarnation, epoch: Number(epoch), generation: Number(generation), token };
}

export const leaseLost = (lease: RunLease, current: Run | null): KagziError =>
  current === null || current.incarnation !== lease.incarnation
    ? new KagziError('RUN_NOT_FOUND', `There is no run ${lease.runId}.`)
    : new KagziError('LEASE_LOST', `This worker no longer holds run ${lease.runId}: it is ${current.status} now.`, {
        status: current.status,
      });

export const holds = (run: Run | null, lease: RunLease): run is RunningRun =>
  run?.status === 'RUNNING' &&
  run.incarnation === lease.incarnation &&
  run.epoch === lease.epoch &&
  run.history.generation === lease.generation &&
  run.lease.token === lease.token;

/** A strong read of the head: the proof that lets a body start, and the check after which a result is acknowledged. */
export async function requireLease(engine: Engine, lease: RunLease): Promise<RunningRun> {
  const run = await readRun(engine, lease);
  if (!holds(run, lease)) throw leaseLost(lease, run);
  return run;
}

/**
 * Puts down a run that is held. A cancellation that was asked for in the meantime makes the write fail without loss of
 * the lease: then it is written with its end in sight.
 */
export async function putDown(
  engine: Engine,
  held: RunningRun,
  at: number,
  write: (run: RunningRun, timerAt: number | null) => Promise<HeadWrite>,
): Promise<Run> {
  let run: Run | null = held;
  const lease = leaseOf(held);
  const waiting = await dispatchAround(engine, held, at, async (timerAt) => {
    while (holds(run, lease)) {
      const written = await write(run, timerAt);
      if (written.ok) return written.run;
      run = written.current;
    }
    return null;
  });
  if (waiting === null) throw leaseLost(lease, run);
  return waiting;
}
