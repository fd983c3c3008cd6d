import { PortError } from '../ports/port-error.ts';
import type { Engine } from './engine.ts';

const ATTEMPTS = 5;

/**
 * Tries a write again while the world answers "unknown" or "unavailable". The write must be safe to repeat:
 * its condition fails once it has been applied, and the caller recognises its own write in what it lost to.
 */
export async function sureWrite<T>(engine: Pick<Engine, 'clock' | 'ids'>, write: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await write();
    } catch (error) {
      const transient = error instanceof PortError && error.failure !== 'invalid';
      if (!transient || attempt >= ATTEMPTS) throw error;
      await engine.clock.sleep(Math.round(engine.ids.random() * 50 * 2 ** attempt));
    }
  }
}
