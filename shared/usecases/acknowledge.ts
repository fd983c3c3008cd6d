import type { Delivery } from '../ports/queue.ts';
import type { Engine } from '../store/engine.ts';

/** Once its claim is decided, a message that stays is a hint to nothing: that it cannot be acknowledged stops nobody. */
export async function acknowledge(engine: Engine, taskQueue: string, delivery: Delivery): Promise<void> {
  try {
    await engine.queue.ack(taskQueue, [delivery]);
  } catch (error) {
    engine.telemetry.log('warn', 'a message could not be acknowledged', { error: String(error) });
  }
}
