import type { AnyWorkflow } from '../context.ts';
import { isRetryable } from '../error-kind.ts';
import { NonRetryableError, RetryAfterError } from '../errors.ts';
import { validate } from '../standard-schema.ts';
import { decodeValue, encodeValue } from '../values.ts';
import { type Ending, Execution, type ExecutionParts } from './execution.ts';
import { isFinalFailure, toFailure } from './failures.ts';
import type { Journal } from './journal.ts';
import type { LogSink } from './operation.ts';
import { asContext, ReplayContext } from './workflow-context.ts';

export type RunOutcome = 'completed' | 'failed' | 'retrying' | 'cancelled' | 'suspended' | 'handed-over';

/** Runs the workflow function as far as it goes now, and records how it ended. Throws RunLostError if the run is another's. */
export async function executeRun(parts: ExecutionParts, sink: LogSink): Promise<RunOutcome> {
  const { workflow, journal } = parts;
  const execution = new Execution(parts);
  const context = new ReplayContext(execution, sink);
  const code = await invocation(workflow, journal, context);
  const ending = await execution.run(code);
  return settle(journal, ending, parts.clock.now());
}

/** The input is looked at before the code runs: a schema may take its time. */
async function invocation(
  workflow: AnyWorkflow,
  { input: encoded }: Journal,
  context: ReplayContext,
): Promise<() => Promise<unknown>> {
  try {
    const given = decodeValue(encoded);
    const input = workflow.schema === undefined ? given : await validate(workflow.type, workflow.schema, given);
    return () => workflow.run(asContext(context), input);
  } catch (error) {
    return () => Promise.reject(error as Error);
  }
}

async function settle(journal: Journal, ending: Ending, now: number): Promise<RunOutcome> {
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
      return complete(journal, ending.value, now);
    case 'threw':
      return fail(journal, ending.error, now);
  }
}

async function complete(journal: Journal, value: unknown, now: number): Promise<RunOutcome> {
  let output: string | undefined;
  try {
    output = encodeValue(value, 'output of the workflow');
  } catch (error) {
    return fail(journal, error, now);
  }
  try {
    await journal.completeRun(output);
  } catch (error) {
    const { code, message } = error as { readonly code?: string; readonly message: string };
    if (code !== 'PAYLOAD_TOO_LARGE') throw error;
    return fail(journal, new NonRetryableError(message, { code }), now);
  }
  return 'completed';
}

async function fail(journal: Journal, error: unknown, now: number): Promise<RunOutcome> {
  const final = isFinalFailure(error) || !isRetryable(error, 'any');
  const retryAfter = error instanceof RetryAfterError ? error.retryAfter : undefined;
  const retryAfterMs = retryAfter instanceof Date ? Math.max(0, retryAfter.getTime() - now) : retryAfter;
  const retryAt = await journal.failRun(toFailure(error, final), { final, retryAfterMs });
  return retryAt === null ? 'failed' : 'retrying';
}
