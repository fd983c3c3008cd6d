import { type RunMessage, resendWaitMs, sendRunMessage } from '../store/dispatch.ts';
import type { Engine } from '../store/engine.ts';

const FIRST_PASS_MS = 1_000;

/**
 * For a message that came to a worker without the version of its run: another may have it, now or soon. It is sent anew
 * after a second, then after ever longer, and no more once the watchdog is about to send another. So there is one
 * message at a time, nothing is written, and a worker that appears with the version gets the run after a quarter of
 * the watchdog's pause at most.
 */
export async function passOn(engine: Engine, message: RunMessage, served: readonly string[]): Promise<void> {
  const now = engine.clock.now();
  const pauseMs = resendWaitMs(message.resends);
  const { times, until } = message.passed ?? { times: 0, until: now + pauseMs };
  if (times === 0) {
    engine.telemetry.log('warn', 'a run is put back: its version is not served here', {
      run_id: message.runId,
      workflow_type: message.workflowType,
      version: message.version,
      served: served.join(', '),
    });
  }
  const delayMs = Math.min(FIRST_PASS_MS * 2 ** times, pauseMs / 4);
  if (now + delayMs >= until) return;
  await sendRunMessage(engine, { ...message, passed: { times: times + 1, until } }, delayMs);
}
