import type { Clock } from '../shared/ports/clock.ts';
import type { Telemetry } from '../shared/ports/telemetry.ts';

export interface Repeated {
  /** Answers when the round under way has ended. */
  stop(): Promise<void>;
}

/** Does something again and again, with a pause after each round. A round that fails is logged, and the next comes. */
export function repeat(
  parts: { readonly clock: Clock; readonly telemetry: Telemetry },
  name: string,
  pauseMs: number,
  round: (signal: AbortSignal) => Promise<unknown>,
): Repeated {
  const stopping = new AbortController();
  const { signal } = stopping;
  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      let pause = pauseMs;
      try {
        await round(signal);
      } catch (error) {
        if (signal.aborted) return;
        parts.telemetry.log('error', `${name} failed; it goes on`, {
          error: error instanceof Error ? error.message : String(error),
        });
        pause = Math.max(pauseMs, 1000);
      }
      await parts.clock.sleep(pause, signal).catch(() => undefined);
    }
  };
  const ended = run();
  return {
    stop: () => {
      stopping.abort();
      return ended;
    },
  };
}
