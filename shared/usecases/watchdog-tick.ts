import { isEnded, type OpenRun, type Run, type RunningRun } from '../model/run.ts';
import type { Worker } from '../model/worker.ts';
import type { IndexPage, IndexRow } from '../ports/table.ts';
import { UnreadableItemError } from '../store/attributes.ts';
import { dispatch, sendSweep } from '../store/dispatch.ts';
import type { Engine } from '../store/engine.ts';
import { extendHistory } from '../store/extend-history.ts';
import { outlives } from '../store/history.ts';
import { dueHash, HEAD, parseRunPk, parseWorkersPk, timeKey } from '../store/keys.ts';
import { postponeRow } from '../store/postpone-row.ts';
import { decodeRun } from '../store/run-item.ts';
import { DISPATCH_GRACE_MS, pushDue } from '../store/runs.ts';
import { pushWorkerDue, readWorker } from '../store/workers.ts';
import { cancelOpen, settleEnd } from './end-run.ts';
import { purgeRun } from './purge-run.ts';
import { recoverRun } from './recover-run.ts';
import { retireSilentWorker } from './retire-worker.ts';

const MAX_RESEND_MS = 15 * 60_000;
/** A run that its worker lists is looked at this rarely at most: the worker's own row finds a dead one sooner. */
const MAX_HELD_LOOK_MS = 5 * 60_000;
const AT_ONCE = 16;

/** One look at every shard of the due index. Any number of copies may run: each act is a conditional write. */
export async function watchdogTick(engine: Engine): Promise<{ readonly handled: number }> {
  engine.telemetry.count('watchdog_ticks');
  let handled = 0;
  for (let shard = 0; shard < engine.config.dueShards; shard++) {
    const { rows, next } = await dueRows(engine, shard);
    await handleRows(engine, rows);
    handled += rows.length;
    if (next !== null) await sendSweep(engine, shard);
  }
  return { handled };
}

/** What was too much for one tick: every row due now, once. */
export async function sweepShard(engine: Engine, shard: number): Promise<void> {
  let after: IndexRow | undefined;
  do {
    const page = await dueRows(engine, shard, after);
    await handleRows(engine, page.rows);
    after = page.next ?? undefined;
  } while (after !== undefined);
}

const dueRows = (engine: Engine, shard: number, after?: IndexRow): Promise<IndexPage> =>
  engine.table.queryIndex({
    index: 'due',
    hash: dueHash(shard),
    to: timeKey(engine.clock.now()),
    limit: engine.config.watchdogBatch,
    ...(after === undefined ? {} : { after }),
  });

async function handleRows(engine: Engine, rows: readonly IndexRow[]): Promise<void> {
  for (let start = 0; start < rows.length; start += AT_ONCE) {
    await Promise.all(rows.slice(start, start + AT_ONCE).map((row) => handleRow(engine, row)));
  }
}

async function handleRow(engine: Engine, row: IndexRow): Promise<void> {
  try {
    const workersOf = parseWorkersPk(row.pk);
    if (workersOf !== null) return await handleWorker(engine, await readWorker(engine, workersOf, row.sk));
    if (parseRunPk(row.pk) === null || row.sk !== HEAD) return;
    const { item } = await engine.table.get(row, { consistent: true });
    // A row that lags behind its item asks for nothing.
    if (item === null || item.ds === undefined || (item.ds as string) > timeKey(engine.clock.now())) return;
    await handleRun(engine, decodeRun(item));
  } catch (error) {
    engine.telemetry.log('error', 'watchdog could not handle a due row', {
      pk: row.pk,
      error: error instanceof Error ? error.message : String(error),
    });
    if (error instanceof UnreadableItemError) await postponeRow(engine, row, engine.clock.now() + MAX_RESEND_MS);
  }
}

async function handleWorker(engine: Engine, worker: Worker | null): Promise<void> {
  if (worker === null) return;
  if (worker.status !== 'OFFLINE' && worker.expiresAt > engine.clock.now()) return pushWorkerDue(engine, worker);
  if (worker.status !== 'OFFLINE') {
    engine.telemetry.count('workers_stale');
    engine.telemetry.log('warn', 'worker went silent', { namespace: worker.namespace, worker_id: worker.workerId });
  }
  await retireSilentWorker(engine, worker);
}

async function handleRun(engine: Engine, run: Run): Promise<void> {
  const now = engine.clock.now();
  if (isEnded(run)) return run.expiresAt <= now ? purgeRun(engine, run) : settleEnd(engine, run);
  if (run.cancelAt !== null && run.cancelAt <= now) {
    await cancelOpen(engine, run, 'the grace of its cancellation has ended');
    return;
  }
  if (outlives(run, now)) await extendHistory(engine, run, now);
  if (run.status === 'RUNNING') return handleHeld(engine, run, now);
  if (run.availableAt > now) {
    await pushDue(engine, run, run.availableAt + DISPATCH_GRACE_MS, run.resends);
    return;
  }
  await resend(engine, run, now);
}

/** Push first, then send: whatever dies in between, the row comes up again. */
async function resend(engine: Engine, run: OpenRun, now: number): Promise<void> {
  const wait = Math.min(DISPATCH_GRACE_MS * 2 ** (run.resends + 1), MAX_RESEND_MS);
  const push = await pushDue(engine, run, now + wait, run.resends + 1);
  if (!push.ok) return;
  engine.telemetry.count('dispatches_resent', 1, { workflow_type: run.workflowType });
  await dispatch(engine, run, now);
}

/**
 * A lease its owner renews ends when it says. One kept by heartbeats holds while the session lives and lists the
 * run; then its row is looked at ever more rarely, because the session's own row finds a dead worker's runs.
 */
async function handleHeld(engine: Engine, run: RunningRun, now: number): Promise<void> {
  if (run.lease.until > now) {
    await pushDue(engine, run, run.lease.until, run.resends);
    return;
  }
  if (run.lease.session !== null) {
    const worker = await readWorker(engine, run.namespace, run.lease.session);
    if (worker !== null && worker.status !== 'OFFLINE' && worker.expiresAt > now && worker.runs.includes(run.runId)) {
      await pushDue(
        engine,
        run,
        now + Math.min(DISPATCH_GRACE_MS * 2 ** run.resends, MAX_HELD_LOOK_MS),
        run.resends + 1,
      );
      return;
    }
  }
  await recoverRun(engine, run);
}
