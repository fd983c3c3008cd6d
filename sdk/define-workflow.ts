import { type Duration, durationMs } from '../shared/model/duration.ts';
import { nameProblem } from '../shared/model/names.ts';
import type { ErrorClass, Workflow, WorkflowFunction } from './context.ts';
import type { Retry } from './retry.ts';
import type { StandardSchema } from './standard-schema.ts';

export interface WorkflowOptions {
  readonly type: string;
  /** Runs stay on the version they were started with. "1" if none is given. */
  readonly version?: string;
  /** Of the workflow function: an error that leaves it starts it again by this. */
  readonly retry?: Retry;
  /** From the first claim on; then the run fails. */
  readonly timeout?: Duration;
  readonly errors?: readonly ErrorClass[];
}

/** A workflow is an ordinary async function with a name; its steps are what survives. */
export function defineWorkflow<const Type extends string, Given, Input, Output>(
  options: WorkflowOptions & { readonly type: Type; readonly input: StandardSchema<Given, Input> },
  run: WorkflowFunction<Input, Output>,
): Workflow<Given, Output, Input, Type>;
export function defineWorkflow<const Type extends string, Input = undefined, Output = unknown>(
  options: WorkflowOptions & { readonly type: Type; readonly input?: undefined },
  run: WorkflowFunction<Input, Output>,
): Workflow<Input, Output, Input, Type>;
export function defineWorkflow(
  options: WorkflowOptions & { readonly input?: StandardSchema | undefined },
  run: WorkflowFunction<unknown, unknown>,
): Workflow {
  const { type, version = '1', retry, timeout, errors = [], input: schema } = options;
  const problem = nameProblem('workflowType', type) ?? nameProblem('version', version);
  if (problem !== null) throw new TypeError(problem);
  return {
    type,
    version,
    retry,
    timeoutMs: timeout === undefined ? undefined : durationMs(timeout),
    errors,
    schema,
    run,
  };
}
