import { type Duration, durationMs } from '../shared/model/duration.ts';
import {
  type Check,
  type Checks,
  checkOptions,
  InvalidArgumentError,
  isDuration,
  isFunction,
  isList,
  isName,
  refuse,
  shown,
} from './check-options.ts';
import type { AnyWorkflow, ErrorClass, Workflow, WorkflowFunction } from './context.ts';
import { isRetry, type Retry } from './retry.ts';
import { isSchema, type StandardSchema } from './standard-schema.ts';
import { encodeValue } from './values.ts';

export interface WorkflowOptions {
  readonly type: string;
  /** Runs stay on the version they were started with. "1" if none is given. */
  readonly version?: string;
  /** Of the workflow function: an error that leaves it starts it again by this. */
  readonly retry?: Retry;
  /** From the first claim on; then the run fails. */
  readonly timeout?: Duration;
  readonly errors?: readonly ErrorClass[];
  /** An input to try it with: the console offers it. */
  readonly example?: unknown;
}

const isErrorClass: Check = (value) => {
  const isOne = typeof value === 'function' && (value === Error || value.prototype instanceof Error);
  if (!isOne) throw new TypeError(`${shown(value)} is no class of errors`);
};
const OPTIONS: Checks<WorkflowOptions & { readonly input?: StandardSchema }> = {
  type: isName('workflowType'),
  version: isName('version'),
  retry: isRetry,
  timeout: isDuration,
  errors(value) {
    isList(value);
    for (const one of value as unknown[]) isErrorClass(one);
  },
  example: (value) => void encodeValue(value, 'example'),
  input: isSchema,
};

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
  const given = (options as typeof options | null | undefined)?.type;
  if (given === undefined) {
    throw new InvalidArgumentError(
      'defineWorkflow needs a type: defineWorkflow({ type: "order" }, async (ctx, input) => …)',
    );
  }
  const what = `defineWorkflow ${shown(given)}`;
  checkOptions(what, options, OPTIONS);
  refuse(`${what}: the workflow`, () => isFunction(run));
  const { type, version = '1', retry, timeout, errors = [], example, input: schema } = options;
  return {
    type,
    version,
    retry,
    timeoutMs: timeout === undefined ? undefined : durationMs(timeout),
    errors,
    example,
    schema,
    run,
  };
}

export function isWorkflow(value: unknown): value is AnyWorkflow {
  if (typeof value !== 'object' || value === null) return false;
  const { type, version, run } = value as Partial<AnyWorkflow>;
  return typeof type === 'string' && typeof version === 'string' && typeof run === 'function';
}

/** `what` is the call that needs one. */
export function requireWorkflow(what: string, value: unknown): asserts value is AnyWorkflow {
  if (isWorkflow(value)) return;
  throw new InvalidArgumentError(`${what}: ${shown(value)} is no workflow: give what defineWorkflow returns`);
}
