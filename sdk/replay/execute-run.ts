import type { AnyWorkflow } from '../context.ts';
import { isRetryable } from '../error-kind.ts';
import { NonRetryableError, RetryAfterError } from '../errors.ts';
import { encodeValue } from '../values.ts';
import { authorContext } from './author-context.ts';
import { type Ending, Execution, type ExecutionParts } from './execution.ts';
import { isFinalFailure, toFailure } from './failures.ts';
import { withFields } from './log-sink.ts';
import { ReplayContext } from './workflow-context.ts';
import { workflowInput } from './workflow-input.ts';

export type RunOutcome = 'completed' | 'failed' | 'retrying' | 'cancelled' | 'suspended' | 'handed-over';

/** Runs the workflow function as far as it goes now, and records how it ended. Throws RunLostError if the run is another's. */
export async function executeRun(parts: ExecutionParts): Promise<RunOutcome> {
  const { journal } = parts;
  const { runId, workflowType } = journal.run;
  const log = withFields(parts.log, { run_id: runId, workflow_type: workflowType });
  const execution = new Execution({ ...parts, log });
  return settle(execution, await runCode(execution));
}

export async function runCode(execution: Execution): Promise<Ending> {
  const workflow: AnyWorkflow = execution.parts.workflow;
  const input = await workflowInput(execution);
  const context = authorContext(new ReplayContext(execution));
  return execution.run(async () => {
    if ('error' in input) throw input.error;
    return workflow.run(context, input.value);
  });
}

async function settle(execution: Execution, ending: Ending): Promise<RunOutcome> {
  const { journal } = execution.parts;
  switch (ending.how) {
    case 'suspended':
      return 'suspended';
    case 'handed-over':
      await journal.release();
      return 'handed-over';
    case 'cancelled':
      await journal.cancelRun(ending.reason);
      return 'cancelled';
    case 'returned':
      return complete(execution, ending.value);
    case 'threw':
      return fail(execution, ending.error);
  }
}

async function complete(execution: Execution, value: unknown): Promise<RunOutcome> {
  let output: string | undefined;
  try {
    output = encodeValue(value, 'output of the workflow');
  } catch (error) {
    return fail(execution, error);
  }
  try {
    await execution.parts.journal.completeRun(output);
  } catch (error) {
    const { code, message } = error as { readonly code?: string; readonly message: string };
    if (code !== 'PAYLOAD_TOO_LARGE') throw error;
    return fail(execution, new NonRetryableError(message, { code }));
  }
  return 'completed';
}

async function fail(execution: Execution, error: unknown): Promise<RunOutcome> {
  const { journal, clock, log } = execution.parts;
  const final = isFinalFailure(error) || !isRetryable(error, 'any');
  const retryAfter = error instanceof RetryAfterError ? error.retryAfter : undefined;
  const retryAfterMs = retryAfter instanceof Date ? Math.max(0, retryAfter.getTime() - clock.now()) : retryAfter;
  const retryAt = await journal.failRun(toFailure(error, final), { final, retryAfterMs });
  const what = execution.tellError(error);
  if (retryAt === null) {
    log('error', 'the run failed', what);
    return 'failed';
  }
  const next_attempt_at = new Date(retryAt).toISOString();
  log('warn', 'the workflow function threw; it is tried again', { ...what, next_attempt_at });
  return 'retrying';
}
