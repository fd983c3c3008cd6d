import { vi } from 'vitest';

const realSetTimeout = setTimeout;
const STEP_MS = 1_000;
/** For what goes over a socket in between. */
const REAL_PAUSE_MS = 12;

/**
 * The time of this whole process, of its servers and clients too: it flows on while the process runs, and can be moved.
 * A process that is kept waiting loses none of it.
 */
export function startMovingTime(): void {
  vi.useFakeTimers({
    toFake: ['Date', 'setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'],
    shouldAdvanceTime: true,
  });
}

export const stopMovingTime = (): void => void vi.useRealTimers();

export const jump = async (ms: number): Promise<void> => void (await vi.advanceTimersByTimeAsync(ms));

/** Second by second, with a moment in between for whoever wakes up. */
export async function passTime(ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= STEP_MS) {
    await jump(Math.min(left, STEP_MS));
    await new Promise((resolve) => realSetTimeout(resolve, REAL_PAUSE_MS));
  }
}

/** Second by second until something holds; throws if it does not within that time. */
export async function passUntil(holds: () => boolean | Promise<boolean>, withinMs: number): Promise<void> {
  for (let left = withinMs; !(await holds()); left -= STEP_MS) {
    if (left <= 0) throw new Error(`it did not happen within ${withinMs} ms`);
    await passTime(STEP_MS);
  }
}
