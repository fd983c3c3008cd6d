import { decodeRunMessage, type RunMessage, sendRunMessage } from '../store/dispatch.ts';
import type { Engine } from '../store/engine.ts';

export type { RunMessage };

/** Null for anything that is no run message. */
export const readRunMessage = (body: string): RunMessage | null => decodeRunMessage(body);

/** A new message, not the old one once more: deliveries of that are counted. The due row covers a crash in between. */
export async function resendMessage(engine: Engine, message: RunMessage, at: number): Promise<void> {
  const delayMs = Math.max(0, at - engine.clock.now());
  // A timer sends one in time.
  if (delayMs <= engine.queue.maxDelayMs) await sendRunMessage(engine, message, delayMs);
}
