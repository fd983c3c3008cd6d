import { createClient } from '../sdk/client/create-client.ts';
import type { AnyWorkflow } from '../sdk/context.ts';
import { NonDeterminismError } from '../sdk/errors.ts';
import type { LogSink } from '../sdk/replay/log-sink.ts';
import { replay } from '../sdk/testing/replay.ts';
import type { HeldRunInfo } from '../sdk/worker/embedded-worker.ts';
import type { Engine } from '../shared/store/engine.ts';

/**
 * Replays a completed run at once. A run too short to be put down never meets its own history, so code that is not
 * deterministic would go unnoticed until it is deployed.
 */
export async function checkReplay(
  engine: Engine,
  { namespace, log }: { readonly namespace: string; readonly log: LogSink },
  { runId, workflowType }: HeldRunInfo,
  workflow: AnyWorkflow,
): Promise<void> {
  const named = { run_id: runId, workflow_type: workflowType };
  try {
    const client = createClient({ embedded: engine, namespace });
    await replay(await client.run(runId).export(), workflow);
  } catch (error) {
    if (!(error instanceof NonDeterminismError)) {
      return log('warn', 'a completed run could not be replayed to check it', { ...named, error: String(error) });
    }
    const message = 'the run completed, but its code is not deterministic: replayed, it goes another way';
    log('error', message, { ...named, difference: error.message });
  }
}
