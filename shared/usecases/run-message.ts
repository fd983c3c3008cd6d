import { decodeRunMessage, encodeRunMessage, type RunMessage } from '../store/dispatch.ts';
import type { Engine } from '../store/engine.ts';
import { readRun } from '../store/run-head.ts';

export type { RunMessage };

/** Null for anything that is no run message. */
export const readRunMessage = (body: string): RunMessage | null => decodeRunMessage(body);

/** A new message, not the old one once more: deliveries of that are counted. The due row covers a crash in between. */
export async function resendMessage(engine: Engine, message: RunMessage, at: number): Promise<void> {
  const run = await readRun(engine, message);
  if (run === null || run.incarnation !== message.incarnation) return;
  const delayMs = Math.max(0, at - engine.clock.now());
  // A timer sends one in time.
  if (delayMs > engine.queue.maxDelayMs) return;
  const { namespace, workflowType } = message;
  await engine.queue.send(run.taskQueue, [
    { body: encodeRunMessage(message), group: namespace, kind: workflowType, delayMs },
  ]);
}
