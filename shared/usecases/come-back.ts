import type { Delivery } from '../ports/queue.ts';
import { type RunMessage, sendRunMessage } from '../store/dispatch.ts';
import type { Engine } from '../store/engine.ts';

/**
 * A message that came before its run's time is delivered again then. One that is too early for that is dropped: a timer
 * sends another, and coming back over and over would make this one a dead letter.
 */
export async function comeBack(engine: Engine, taskQueue: string, delivery: Delivery, at: number): Promise<void> {
  const delayMs = Math.max(0, at - engine.clock.now());
  if (delayMs > engine.queue.maxDelayMs) await engine.queue.ack(taskQueue, [delivery]);
  else await engine.queue.release(taskQueue, delivery, delayMs);
}

/** The same for a message that is acknowledged already. */
export async function sendAgain(engine: Engine, message: RunMessage, at: number): Promise<void> {
  const delayMs = Math.max(0, at - engine.clock.now());
  if (delayMs <= engine.queue.maxDelayMs) await sendRunMessage(engine, message, delayMs);
}
