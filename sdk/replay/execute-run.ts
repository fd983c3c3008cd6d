import type { AnyWorkflow } from '../context.ts';
import { isRetryable } from '../error-kind.ts';
import { NonRetryableError, RetryAfterError } from '../errors.ts';
import { encodeValue } from '../values.ts';
import { authorContext } from './author-context.ts';
import { type Ending, Execution, type ExecutionParts } from './execution.ts';
import { isFinalFailure, toFailure } from './failures.ts';
import type { Journal } from './journal.ts';
import { type LogSink, withFields } from './log-sink.ts';
import { ReplayContext } from './workflow-context.ts';
import { workflowInput } from './workflow-input.ts';

export type RunOutcome = 'completed' | 'failed' | 'retrying' | 'cancelled' | 'suspended' | 'handed-over';

/** Runs the workflow function as far as it goes now, and records how it ended. Throws RunLostError if the run is another's. */
export async function executeRun(parts: ExecutionParts): Promise<RunOutcome> {
  const { journal } = parts;
  const { runId, workflowType } = journal.run;
  const log = withFields(parts.log, { run_id: runId, workflow_type: workflowType });
  const ending = await runCode(new Execution({ ...parts, log }));
  return settle(journal, ending, parts.clock.now(), log);
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

async function settle(journal: Journal, ending: Ending, now: number, log: LogSink): Promise<RunOutcome> {
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
      return complete(journal, ending.value, now, log);
    case 'threw':
      return fail(journal, ending.error, now, log);
  }
}

async function complete(journal: Journal, value: unknown, now: number, log: LogSink): Promise<RunOutcome> {
  let output: string | undefined;
  try {
    output = encodeValue(value, 'output of the workflow');
  } catch (error) {
    return fail(journal, error, now, log);
  }
  try {
    await journal.completeRun(output);
  } catch (error) {
    const { code, message } = error as { readonly code?: string; readonly message: string };
    if (code !== 'PAYLOAD_TOO_LARGE') throw error;
    return fail(journal, new NonRetryableError(message, { code }), now, log);
  }
  return 'completed';
}

async function fail(journal: Journal, error: unknown, now: number, log: LogSink): Promise<RunOutcome> {
  const final = isFinalFailure(error) || !isRetryable(error, 'any');
  const retryAfter = error instanceof RetryAfterError ? error.retryAfter : undefined;
  const retryAfterMs = retryAfter instanceof Date ? Math.max(0, retryAfter.getTime() - now) : retryAfter;
  const failure = toFailure(error, final);
  const retryAt = await journal.failRun(failure, { final, retryAfterMs });
  const what = { error: `${failure.code}: ${failure.message}` };
  if (retryAt === null) log('error', 'the run failed', what);
  else
    log('warn', 'the workflow function threw; it is tried again', {
      ...what,
      next_attempt_at: new Date(retryAt).toISOString(),
    });
  return retryAt === null ? 'failed' : 'retrying';
}
