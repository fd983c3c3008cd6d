import { PortError } from '../ports/port-error.ts';
import type { Engine } from './engine.ts';

/** Of each kind: a write whose answer got lost is asked for again, however often it was refused before. */
const ATTEMPTS = 5;
/** Failures of several kinds may take turns for long; somebody waits for the answer. */
const MAX_PAUSE_MS = 1_000;

/**
 * Tries a write again while the world answers "unknown" or "unavailable". The write must be safe to repeat:
 * its condition fails once it has been applied, and the caller recognises its own write in what it lost to.
 */
export async function sureWrite<T>(engine: Pick<Engine, 'clock' | 'ids'>, write: () => Promise<T>): Promise<T> {
  let failures: Record<PortError['failure'], number> | undefined;
  for (let attempt = 1; ; attempt++) {
    try {
      return await write();
    } catch (error) {
      failures ??= { unknown: 0, unavailable: 0, conflict: 0, invalid: ATTEMPTS - 1 };
      if (!(error instanceof PortError) || ++failures[error.failure] >= ATTEMPTS) throw error;
      await engine.clock.sleep(Math.round(engine.ids.random() * Math.min(50 * 2 ** attempt, MAX_PAUSE_MS)));
    }
  }
}
