import { sendBlobSweep } from '../store/dispatch.ts';
import type { Engine } from '../store/engine.ts';
import { putWatch, readWatch, type Watch } from '../store/watch.ts';
import { Silence } from './silence.ts';
import { watchdogTick } from './watchdog-tick.ts';

export interface KeepWatch {
  /** No two have the same. */
  readonly holder: string;
  readonly forMs: number;
  readonly afterTick?: (ticks: number) => void;
}

const TICK_MS = 1_000;
const MAX_MS = 14 * 60_000;
/** Watches begin each minute, or a little later: a longer pause means that there was none. */
const RELIEF_MS = 150_000;
const BLOBS_MS = 86_400_000;

/**
 * Ticks every second until a newer watch begins, at most for fourteen minutes. Any number of watches may run: the
 * item that says whose turn it is saves money, not runs.
 */
export async function keepWatch(engine: Engine, { holder, forMs, afterTick }: KeepWatch): Promise<{ ticks: number }> {
  const { clock } = engine;
  const end = clock.monotonic() + Math.min(forMs, MAX_MS);
  const former = await begin(engine, holder);
  const relieves = former !== null && clock.now() - former.since < RELIEF_MS;
  const silence = new Silence(engine, TICK_MS, relieves ? clock.now() : null);
  let ticks = 0;
  for (let next = clock.monotonic(); next < end; next = Math.max(next + TICK_MS, clock.monotonic())) {
    await clock.sleep(next - clock.monotonic());
    await attempt(engine, 'a tick of the watchdog failed; the next one comes', () =>
      silence.look((options) => watchdogTick(engine, options)),
    );
    ticks += 1;
    afterTick?.(ticks);
    if (await isRelieved(engine, holder)) break;
  }
  return { ticks };
}

/** Takes the watch, and answers who had it. */
async function begin(engine: Engine, holder: string): Promise<Watch | null> {
  const now = engine.clock.now();
  let former: Watch | null = null;
  await attempt(engine, 'the watch could not be taken; it ticks nevertheless', async () => {
    former = await readWatch(engine);
    const blobsAt = former?.blobsAt ?? 0;
    const sweeps = now - blobsAt >= BLOBS_MS;
    await putWatch(engine, { holder, since: now, blobsAt: sweeps ? now : blobsAt });
    if (sweeps) await sendBlobSweep(engine);
  });
  return former;
}

async function isRelieved(engine: Engine, holder: string): Promise<boolean> {
  let watch: Watch | null = null;
  await attempt(engine, 'the watch could not be read; it goes on', async () => {
    watch = await readWatch(engine);
  });
  return watch !== null && (watch as Watch).holder !== holder;
}

async function attempt(engine: Engine, failure: string, action: () => Promise<unknown>): Promise<void> {
  try {
    await action();
  } catch (error) {
    engine.telemetry.log('error', failure, { error: error instanceof Error ? error.message : String(error) });
  }
}
