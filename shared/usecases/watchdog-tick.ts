import { isEnded, type OpenRun, type Run, type RunningRun } from '../model/run.ts';
import type { Worker } from '../model/worker.ts';
import type { IndexPage, IndexRow } from '../ports/table.ts';
import { UnreadableItemError } from '../store/attributes.ts';
import { DISPATCH_GRACE_MS, dispatch, resendWaitMs, sendSweep } from '../store/dispatch.ts';
import type { Engine } from '../store/engine.ts';
import { extendHistory } from '../store/extend-history.ts';
import { outlives } from '../store/history.ts';
import { readArrivals } from '../store/inbox.ts';
import { dueHash, HEAD, parseRunPk, parseSchedulePk, parseWorkersPk, timeKey } from '../store/keys.ts';
import { postponeRow } from '../store/postpone-row.ts';
import { decodeRun } from '../store/run-item.ts';
import { pushDue } from '../store/runs.ts';
import { pushWorkerDue, readWorker } from '../store/workers.ts';
import { cancelOpen, settleEnd } from './end-run.ts';
import { type FireBudget, fireDueSchedule } from './fire-schedule.ts';
import { purgeRun } from './purge-run.ts';
import { recoverRun } from './recover-run.ts';
import { retireSilentWorker } from './retire-worker.ts';

/** A run that its worker lists is looked at this rarely at most: the worker's own row finds a dead one sooner. */
const MAX_HELD_LOOK_MS = 5 * 60_000;
/** What this version cannot read is looked at again after this long. */
const UNREADABLE_MS = 15 * 60_000;
const AT_ONCE = 16;

/** One look at every shard of the due index. Any number of copies may run: each act is a conditional write. */
export interface TickOptions {
  /** Workers that were silent before this time may not have been able to reach the engine: they are not judged earlier. */
  readonly trustSilenceFrom?: number;
}

export async function watchdogTick(engine: Engine, options: TickOptions = {}): Promise<{ readonly handled: number }> {
  engine.telemetry.count('watchdog_ticks');
  let handled = 0;
  const fires = budget(engine);
  for (let shard = 0; shard < engine.config.dueShards; shard++) {
    const { rows, next } = await dueRows(engine, shard);
    await handleRows(engine, rows, new Look(engine, options, fires));
    handled += rows.length;
    if (next !== null) await sendSweep(engine, shard);
  }
  return { handled };
}

/** What was too much for one tick: every row due now, once. */
export async function sweepShard(engine: Engine, shard: number, options: TickOptions = {}): Promise<void> {
  let after: IndexRow | undefined;
  const fires = budget(engine);
  do {
    const page = await dueRows(engine, shard, after);
    await handleRows(engine, page.rows, new Look(engine, options, fires));
    after = page.next ?? undefined;
  } while (after !== undefined);
}

const budget = (engine: Engine): FireBudget => ({ left: engine.config.firesPerTick });

const dueRows = (engine: Engine, shard: number, after?: IndexRow): Promise<IndexPage> =>
  engine.table.queryIndex({
    index: 'due',
    hash: dueHash(shard),
    to: timeKey(engine.clock.now()),
    limit: engine.config.watchdogBatch,
    ...(after === undefined ? {} : { after }),
  });

async function handleRows(engine: Engine, rows: readonly IndexRow[], look: Look): Promise<void> {
  for (let start = 0; start < rows.length; start += AT_ONCE) {
    await Promise.all(rows.slice(start, start + AT_ONCE).map((row) => handleRow(engine, row, look)));
  }
}

/** What one look at a page of rows has learned: each worker is read once, however many runs it holds. */
class Look {
  readonly #sessions = new Map<
    string,
    Promise<{ readonly worker: Worker; readonly runs: ReadonlySet<string> } | null>
  >();

  constructor(
    private readonly engine: Engine,
    private readonly options: TickOptions,
    readonly fires: FireBudget,
  ) {}

  /** Whether workers may be judged by their silence: not while they could not be heard. */
  get canJudge(): boolean {
    return this.engine.clock.now() >= (this.options.trustSilenceFrom ?? 0);
  }

  async session(namespace: string, workerId: string) {
    const name = `${namespace}#${workerId}`;
    const known = this.#sessions.get(name) ?? this.#read(namespace, workerId);
    this.#sessions.set(name, known);
    return known;
  }

  async #read(namespace: string, workerId: string) {
    const worker = await readWorker(this.engine, namespace, workerId);
    return worker === null ? null : { worker, runs: new Set(worker.runs) };
  }
}

async function handleRow(engine: Engine, row: IndexRow, look: Look): Promise<void> {
  try {
    const workersOf = parseWorkersPk(row.pk);
    if (workersOf !== null) {
      if (look.canJudge) await handleWorker(engine, await readWorker(engine, workersOf, row.sk));
      return;
    }
    const schedule = parseSchedulePk(row.pk);
    if (schedule !== null) {
      await fireDueSchedule(engine, schedule, look.fires);
      return;
    }
    if (parseRunPk(row.pk) === null || row.sk !== HEAD) return;
    const { item } = await engine.table.get(row, { consistent: true });
    // A row that lags behind its item asks for nothing.
    if (item === null || item.ds === undefined || (item.ds as string) > timeKey(engine.clock.now())) return;
    await handleRun(engine, decodeRun(item), look);
  } catch (error) {
    engine.telemetry.log('error', 'watchdog could not handle a due row', {
      pk: row.pk,
      error: error instanceof Error ? error.message : String(error),
    });
    if (error instanceof UnreadableItemError) await postponeRow(engine, row, engine.clock.now() + UNREADABLE_MS);
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

async function handleRun(engine: Engine, run: Run, look: Look): Promise<void> {
  const now = engine.clock.now();
  if (isEnded(run)) return run.expiresAt <= now ? purgeRun(engine, run) : settleEnd(engine, run);
  if (run.cancelAt !== null && run.cancelAt <= now) {
    await cancelOpen(engine, run, await cancelReason(engine, run));
    return;
  }
  if (outlives(run, now)) await extendHistory(engine, run, now);
  if (run.status === 'RUNNING') return handleHeld(engine, run, now, look);
  if (run.availableAt > now) {
    await pushDue(engine, run, run.availableAt + DISPATCH_GRACE_MS, run.resends);
    return;
  }
  await resend(engine, run, now);
}

/** As it was given with the cancellation whose grace has ended. */
async function cancelReason(engine: Engine, run: OpenRun): Promise<string> {
  const asked = (await readArrivals(engine, run)).find((arrival) => arrival.what === 'cancel');
  return asked?.reason ?? 'the grace of its cancellation has ended';
}

/** Push first, then send: whatever dies in between, the row comes up again. */
async function resend(engine: Engine, run: OpenRun, now: number): Promise<void> {
  const resends = run.resends + 1;
  const push = await pushDue(engine, run, now + resendWaitMs(resends), resends);
  if (!push.ok) return;
  engine.telemetry.count('dispatches_resent', 1, { workflow_type: run.workflowType });
  await dispatch(engine, { ...run, resends }, now);
}

/**
 * A lease its owner renews ends when it says. One kept by heartbeats holds while the session lives and lists the
 * run; then its row is looked at ever more rarely, because the session's own row finds a dead worker's runs.
 */
async function handleHeld(engine: Engine, run: RunningRun, now: number, look: Look): Promise<void> {
  if (run.lease.until > now) {
    await pushDue(engine, run, run.lease.until, run.resends);
    return;
  }
  if (run.lease.session !== null) {
    if (!look.canJudge) return;
    const session = await look.session(run.namespace, run.lease.session);
    const lives = session !== null && session.worker.status !== 'OFFLINE' && session.worker.expiresAt > now;
    if (lives && session.runs.has(run.runId)) {
      const wait = Math.min(DISPATCH_GRACE_MS * 2 ** run.resends, MAX_HELD_LOOK_MS);
      await pushDue(engine, run, now + wait, run.resends + 1);
      return;
    }
  }
  await recoverRun(engine, run);
}
