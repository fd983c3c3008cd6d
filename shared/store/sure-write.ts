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
export const sureWrite = <T>(engine: Pick<Engine, 'clock' | 'ids'>, write: () => Promise<T>): Promise<T> =>
  surelyWritten(engine, write, (answer) => answer);

/** The same for what every step does: what is made of the answer is made in the promise of the trying. */
export const surelyWritten = <T, Made>(
  engine: Pick<Engine, 'clock' | 'ids'>,
  write: () => Promise<T>,
  made: (answer: T) => Made,
): Promise<Made> => write().then(made, (error: unknown) => tryAgain(engine, write, error).then(made));

async function tryAgain<T>(
  { clock, ids }: Pick<Engine, 'clock' | 'ids'>,
  write: () => Promise<T>,
  firstError: unknown,
): Promise<T> {
  const failures: Record<PortError['failure'], number> = {
    unknown: 0,
    unavailable: 0,
    conflict: 0,
    invalid: ATTEMPTS - 1,
  };
  let error = firstError;
  for (let attempt = 1; ; attempt++) {
    if (!(error instanceof PortError) || ++failures[error.failure] >= ATTEMPTS) throw error;
    await clock.sleep(Math.round(ids.random() * Math.min(50 * 2 ** attempt, MAX_PAUSE_MS)));
    try {
      return await write();
    } catch (failure) {
      error = failure;
    }
  }
}
