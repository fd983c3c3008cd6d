import { digest } from '../model/ids.ts';
import type { Delivery } from '../ports/queue.ts';
import { putDeadLetter } from '../store/dead-letters.ts';
import { decodeRunMessage } from '../store/dispatch.ts';
import type { Engine } from '../store/engine.ts';
import { timeKey } from '../store/keys.ts';

/**
 * Takes a message from a dead-letter queue into the table, where people find it; whoever received it takes it off the
 * queue then. The run itself is not harmed.
 */
export async function recordDeadLetter(engine: Engine, queue: string, delivery: Delivery): Promise<void> {
  const runId = decodeRunMessage(delivery.body)?.runId ?? null;
  await putDeadLetter(engine, {
    namespace: delivery.group,
    id: `${timeKey(delivery.sentAt)}-${digest(`${queue}#${delivery.id}`)}`,
    queue,
    kind: delivery.kind,
    body: delivery.body,
    runId,
    sentAt: delivery.sentAt,
    diedAt: engine.clock.now(),
  });
  engine.telemetry.count('dead_letters', 1, { task_queue: queue });
  engine.telemetry.log('warn', 'a message was delivered too often and is a dead letter now', {
    namespace: delivery.group,
    task_queue: queue,
    run_id: runId,
  });
}
