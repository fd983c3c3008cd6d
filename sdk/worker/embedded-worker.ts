import { IN_PROCESS } from '../../shared/model/owners.ts';
import { Stop } from '../../shared/model/stop.ts';
import type { Delivery } from '../../shared/ports/queue.ts';
import type { Engine } from '../../shared/store/engine.ts';
import { acknowledge } from '../../shared/usecases/acknowledge.ts';
import { claimRun } from '../../shared/usecases/claim-run.ts';
import { comeBack, sendAgain } from '../../shared/usecases/come-back.ts';
import { passOn } from '../../shared/usecases/pass-on.ts';
import { readRunMessage } from '../../shared/usecases/run-message.ts';
import type { AnyWorkflow } from '../context.ts';
import type { LogSink } from '../replay/log-sink.ts';
import { Pulse } from '../replay/pulse.ts';
import { guardStrayErrors } from '../replay/stray-errors.ts';
import { proofNow } from './direct-journal.ts';
import { type HoldRun, holdRun } from './hold-run.ts';
import type { Registry } from './registry.ts';
import { noteServed } from './served-here.ts';

export interface EmbeddedWorkerParts {
  readonly engine: Engine;
  readonly registry: Registry;
  readonly namespace: string;
  readonly taskQueue: string;
  readonly maxConcurrent: number;
  readonly log: LogSink;
  readonly logErrors?: boolean;
  /** For tests: bodies to use instead of the steps' own. */
  readonly stub?: HoldRun['stub'];
  /** Told of every run that has completed here. */
  readonly onCompleted?: (run: HeldRunInfo, workflow: AnyWorkflow) => void;
}

/** A run that a worker has in its hands. */
export interface HeldRunInfo {
  readonly runId: string;
  readonly workflowType: string;
}

export interface RunningWorker {
  /** What it holds now. */
  readonly held: readonly HeldRunInfo[];
  /** Takes no more runs, lets bodies under way end, hands the rest over. */
  stop(graceMs?: number): Promise<void>;
}

const CLAIM_MS = 10_000;
const RECEIVE_MS = 20_000;
/** A worker that stays may wait this long itself: cheaper than putting a run down. */
const HOLD_MS = 5_000;
const DEFAULT_GRACE_MS = 10_000;

/** Serves a task queue inside the process of the engine. */
export function startEmbeddedWorker(parts: EmbeddedWorkerParts): RunningWorker {
  const { engine } = parts;
  const stopping = new AbortController();
  const handover = new Stop();
  const leaving = new Stop();
  const active = new Set<Promise<void>>();
  const room = new Pulse();
  const held = new Set<HeldRunInfo>();
  const loop = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      if (active.size >= parts.maxConcurrent) {
        await room.next();
        continue;
      }
      const deliveries = await receive(parts, parts.maxConcurrent - active.size, stopping.signal);
      for (const delivery of deliveries) {
        const work = take(parts, delivery, held, { handover, leaving }).catch((error: unknown) => {
          engine.telemetry.log('error', 'a run could not be served; it will be tried again', {
            ...nameOf(delivery),
            error: String(error),
          });
        });
        const counted = work.finally(() => {
          active.delete(counted);
          room.beat();
        });
        active.add(counted);
      }
    }
  };
  const release = guardStrayErrors();
  const { namespace, taskQueue, registry } = parts;
  const unnote = noteServed(engine, { namespace, taskQueue, types: registry.served });
  const ended = loop();
  return {
    get held() {
      return [...held];
    },
    async stop(graceMs = DEFAULT_GRACE_MS) {
      stopping.abort();
      handover.tell();
      unnote();
      room.beat();
      await ended;
      const done = new AbortController();
      const grace = engine.clock.sleep(graceMs, done.signal).then(
        () => leaving.tell(),
        () => undefined,
      );
      await Promise.all(active);
      done.abort();
      await grace;
      release();
    },
  };
}

async function receive(
  { engine, registry, namespace, taskQueue }: EmbeddedWorkerParts,
  max: number,
  signal: AbortSignal,
): Promise<readonly Delivery[]> {
  try {
    return await engine.queue.receive(taskQueue, {
      max,
      waitMs: RECEIVE_MS,
      visibilityMs: CLAIM_MS,
      group: namespace,
      kinds: registry.types,
      signal,
    });
  } catch (error) {
    if (signal.aborted) return [];
    engine.telemetry.log('error', 'the queue could not be read; it is tried again', { error: String(error) });
    await engine.clock.sleep(1_000, signal).catch(() => undefined);
    return [];
  }
}

function nameOf({ body }: Delivery): { readonly run_id?: string; readonly workflow_type?: string } {
  const message = readRunMessage(body);
  return message === null ? {} : { run_id: message.runId, workflow_type: message.workflowType };
}

async function take(
  parts: EmbeddedWorkerParts,
  delivery: Delivery,
  all: Set<HeldRunInfo>,
  stops: Pick<HoldRun, 'handover' | 'leaving'>,
): Promise<void> {
  const { engine, registry, taskQueue, log } = parts;
  const message = readRunMessage(delivery.body);
  if (message === null) return engine.queue.release(taskQueue, delivery, 0);
  const workflow = registry.find(message.workflowType, message.version);
  if (workflow === null) {
    await passOn(engine, message, registry.versionsOf(message.workflowType));
    return acknowledge(engine, taskQueue, delivery);
  }
  const claimSentAt = proofNow(engine);
  const claiming = claimRun(engine, message, { owner: `${IN_PROCESS}${process.pid}`, session: null });
  // In the turn of the claim: where the queue follows the table both are written together, or neither.
  const together = engine.queue.followsTable === true ? acknowledge(engine, taskQueue, delivery) : null;
  const claim = await claiming;
  if (claim.outcome === 'early') {
    return together === null ? comeBack(engine, taskQueue, delivery, claim.at) : sendAgain(engine, message, claim.at);
  }
  // Nothing waits for it: a message that comes once more finds its run claimed.
  const acked = together ?? acknowledge(engine, taskQueue, delivery);
  if (claim.outcome === 'moot') return acked;
  const { stub } = parts;
  const run = { runId: claim.run.runId, workflowType: claim.run.workflowType };
  all.add(run);
  const logging = { log, logErrors: parts.logErrors === true };
  const held = { workflow, claim, claimSentAt, holdMs: HOLD_MS, ...stops, ...logging, ...(stub && { stub }) };
  const outcome = await holdRun(engine, held).finally(() => all.delete(run));
  await acked;
  if (outcome === 'completed') parts.onCompleted?.(run, workflow);
  engine.telemetry.log('debug', 'run put down', { run_id: claim.run.runId, outcome });
}
