import { IN_PROCESS } from '../shared/model/owners.ts';
import { CONTROL_QUEUE, type Delivery, deadLettersOf } from '../shared/ports/queue.ts';
import type { Engine } from '../shared/store/engine.ts';
import { handleControl } from '../shared/usecases/handle-control.ts';
import { sweepBlobs } from '../shared/usecases/purge-run.ts';
import { recordDeadLetter } from '../shared/usecases/record-dead-letter.ts';
import { releaseOrphans } from '../shared/usecases/release-orphans.ts';
import { Silence } from '../shared/usecases/silence.ts';
import { sweepShard, watchdogTick } from '../shared/usecases/watchdog-tick.ts';
import type { EmbeddedEngine } from './embedded-engine.ts';
import { type Repeated, repeat } from './repeat.ts';

const CONTROL_AT_ONCE = 100;
const CONTROL_WAIT_MS = 20_000;
const CONTROL_VISIBILITY_MS = 60_000;
const CONTROL_RETRY_MS = 1_000;
const DEAD_LETTER_PAUSE_MS = 2_000;
const SWEEP_PAUSE_MS = 60_000;
const BLOB_SWEEP_PAUSE_MS = 3_600_000;
const EXPIRED_AT_ONCE = 500;
const MESSAGE_RETENTION_MS = 14 * 86_400_000;

/** What Lambdas do in the cloud: the watchdog, the engine's own messages, dead letters and the removal of what expired. */
export async function startBackground(
  embedded: EmbeddedEngine,
  options: { readonly watchdogIntervalMs: number },
): Promise<Repeated> {
  const { engine, timers } = embedded;
  // The store is ours alone: whoever held a run in process before is dead.
  await releaseOrphans(engine, (owner) => owner.startsWith(IN_PROCESS));
  await timers.start();
  const silence = new Silence(engine, options.watchdogIntervalMs, null);
  const jobs = [
    repeat(engine, 'the watchdog', options.watchdogIntervalMs, () =>
      silence.look((look) => watchdogTick(engine, look)),
    ),
    repeat(engine, 'the control queue', 0, (signal) => consumeControl(embedded, signal)),
    repeat(engine, 'the dead-letter queues', DEAD_LETTER_PAUSE_MS, () => collectDeadLetters(embedded)),
    repeat(engine, 'the removal of expired items', SWEEP_PAUSE_MS, (signal) => sweepExpired(embedded, silence, signal)),
    repeat(engine, 'the removal of orphaned blobs', BLOB_SWEEP_PAUSE_MS, (signal) => sweepAllBlobs(embedded, signal)),
  ];
  return {
    stop: async () => {
      timers.stop();
      await Promise.all(jobs.map((job) => job.stop()));
    },
  };
}

/** Side by side, so that they share commits: many runs may wake at the same time. */
async function consumeControl({ engine }: EmbeddedEngine, signal: AbortSignal): Promise<void> {
  const deliveries = await engine.queue.receive(CONTROL_QUEUE, {
    max: CONTROL_AT_ONCE,
    waitMs: CONTROL_WAIT_MS,
    visibilityMs: CONTROL_VISIBILITY_MS,
    signal,
  });
  const handled = await Promise.all(deliveries.map((delivery) => handleDelivery(engine, delivery)));
  await engine.queue.ack(
    CONTROL_QUEUE,
    deliveries.filter((_, index) => handled[index]),
  );
}

async function handleDelivery(engine: Engine, delivery: Delivery): Promise<boolean> {
  try {
    await handleControl(engine, delivery.body);
    return true;
  } catch (error) {
    engine.telemetry.log('warn', 'a control message failed and is tried again', { error: String(error) });
    await engine.queue.release(CONTROL_QUEUE, delivery, CONTROL_RETRY_MS);
    return false;
  }
}

async function collectDeadLetters({ engine, queue }: EmbeddedEngine): Promise<void> {
  for (const name of await queue.names()) {
    const from = deadLettersOf(name);
    if (from === null) continue;
    while ((await queue.depth(name)).ready > 0) {
      const deliveries = await queue.receive(name, { max: 10, waitMs: 0, visibilityMs: CONTROL_VISIBILITY_MS });
      for (const delivery of deliveries) {
        await recordDeadLetter(engine, from, delivery);
        await queue.ack(name, [delivery]);
      }
    }
  }
}

/**
 * The table's own TTL, in portions so that nobody waits long for the writer. First the watchdog looks at everything
 * that is due: after a long pause live runs may have steps past their time, and it is what keeps those.
 */
async function sweepExpired(
  { engine, table, queue }: EmbeddedEngine,
  silence: Silence,
  signal: AbortSignal,
): Promise<void> {
  for (let shard = 0; shard < engine.config.dueShards; shard++) {
    await silence.look((look) => sweepShard(engine, shard, look));
  }
  const now = engine.clock.now();
  while (!signal.aborted && (await table.sweepExpired(Math.floor(now / 1000), EXPIRED_AT_ONCE)) === EXPIRED_AT_ONCE);
  await queue.dropSentBefore(now - MESSAGE_RETENTION_MS);
}

async function sweepAllBlobs({ engine }: EmbeddedEngine, signal: AbortSignal): Promise<void> {
  let after: string | undefined;
  do after = (await sweepBlobs(engine, after)) ?? undefined;
  while (after !== undefined && !signal.aborted);
}
