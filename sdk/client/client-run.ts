import type { Failure } from '../../shared/model/failure.ts';
import { decodeValue } from '../values.ts';
import type { RunRecord, StepRecord } from './transport.ts';

/** A run as a client sees it. */
export interface ClientRun<Output = unknown> extends Omit<RunRecord, 'input' | 'output'> {
  /** As it was given; lists do not have it. */
  readonly input?: unknown;
  /** Of a completed run; lists do not have it. */
  readonly output?: Output;
}

export interface ClientStep extends Omit<StepRecord, 'output'> {
  readonly output?: unknown;
}

/** What the engine records for itself, such as that a cancellation was delivered, is no step of the workflow's. */
export const isOwnStep = ({ stepId }: Pick<StepRecord, 'stepId'>): boolean => !stepId.startsWith('$');

export const showRun = <Output>({ input, output, ...run }: RunRecord): ClientRun<Output> => ({
  ...run,
  ...(input === undefined ? {} : { input: decodeValue(input) }),
  ...(output === undefined ? {} : { output: decodeValue(output) as Output }),
});

export const showStep = ({ output, ...step }: StepRecord): ClientStep => ({
  ...step,
  ...(output === undefined ? {} : { output: decodeValue(output) }),
});

/** The error as it was thrown, if the worker was ours. */
export function thrownError(failure: Failure): unknown {
  try {
    return failure.details === null ? undefined : decodeValue(failure.details);
  } catch {
    return undefined;
  }
}
