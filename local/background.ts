import { CONTROL_QUEUE, deadLetterQueue } from '../shared/ports/queue.ts';
import { handleControl } from '../shared/usecases/handle-control.ts';
import { sweepBlobs } from '../shared/usecases/purge-run.ts';
import { recordDeadLetter } from '../shared/usecases/record-dead-letter.ts';
import { watchdogTick } from '../shared/usecases/watchdog-tick.ts';
import type { EmbeddedEngine } from './embedded-engine.ts';
import { type Repeated, repeat } from './repeat.ts';

const CONTROL_WAIT_MS = 20_000;
const CONTROL_VISIBILITY_MS = 60_000;
const CONTROL_RETRY_MS = 1_000;
const DEAD_LETTER_PAUSE_MS = 2_000;
const SWEEP_PAUSE_MS = 60_000;
const BLOB_SWEEP_PAUSE_MS = 3_600_000;
const EXPIRED_AT_ONCE = 500;
const MESSAGE_RETENTION_MS = 14 * 86_400_000;
const DEAD_SUFFIX = deadLetterQueue('');

/** What Lambdas do in the cloud: the watchdog, the engine's own messages, dead letters and the removal of what expired. */
export async function startBackground(
  embedded: EmbeddedEngine,
  options: { readonly watchdogIntervalMs: number },
): Promise<Repeated> {
  const { engine, timers } = embedded;
  await timers.start();
  const jobs = [
    repeat(engine, 'the watchdog', options.watchdogIntervalMs, () => watchdogTick(engine)),
    repeat(engine, 'the control queue', 0, (signal) => consumeControl(embedded, signal)),
    repeat(engine, 'the dead-letter queues', DEAD_LETTER_PAUSE_MS, () => collectDeadLetters(embedded)),
    repeat(engine, 'the removal of expired items', SWEEP_PAUSE_MS, (signal) => sweepExpired(embedded, signal)),
    repeat(engine, 'the removal of orphaned blobs', BLOB_SWEEP_PAUSE_MS, (signal) => sweepAllBlobs(embedded, signal)),
  ];
  return {
    stop: async () => {
      timers.stop();
      await Promise.all(jobs.map((job) => job.stop()));
    },
  };
}

async function consumeControl({ engine }: EmbeddedEngine, signal: AbortSignal): Promise<void> {
  const deliveries = await engine.queue.receive(CONTROL_QUEUE, {
    max: 10,
    waitMs: CONTROL_WAIT_MS,
    visibilityMs: CONTROL_VISIBILITY_MS,
    signal,
  });
  for (const delivery of deliveries) {
    try {
      await handleControl(engine, delivery.body);
      await engine.queue.ack(CONTROL_QUEUE, [delivery]);
    } catch (error) {
      engine.telemetry.log('warn', 'a control message failed and is tried again', { error: String(error) });
      await engine.queue.release(CONTROL_QUEUE, delivery, CONTROL_RETRY_MS);
    }
  }
}

async function collectDeadLetters({ engine, queue }: EmbeddedEngine): Promise<void> {
  for (const name of await queue.names()) {
    if (!name.endsWith(DEAD_SUFFIX)) continue;
    while ((await queue.depth(name)).ready > 0) {
      const deliveries = await queue.receive(name, { max: 10, waitMs: 0, visibilityMs: CONTROL_VISIBILITY_MS });
      for (const delivery of deliveries) await recordDeadLetter(engine, name.slice(0, -DEAD_SUFFIX.length), delivery);
    }
  }
}

/** The table's own TTL, in portions so that nobody waits long for the writer. */
async function sweepExpired({ engine, table, queue }: EmbeddedEngine, signal: AbortSignal): Promise<void> {
  const now = engine.clock.now();
  while (!signal.aborted && (await table.sweepExpired(Math.floor(now / 1000), EXPIRED_AT_ONCE)) === EXPIRED_AT_ONCE);
  await queue.dropSentBefore(now - MESSAGE_RETENTION_MS);
}

async function sweepAllBlobs({ engine }: EmbeddedEngine, signal: AbortSignal): Promise<void> {
  let after: string | undefined;
  do after = (await sweepBlobs(engine, after)) ?? undefined;
  while (after !== undefined && !signal.aborted);
}
