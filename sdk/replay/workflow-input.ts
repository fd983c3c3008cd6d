import { isDeepStrictEqual } from 'node:util';
import { validate } from '../standard-schema.ts';
import { decodeValue, encodeValue } from '../values.ts';
import type { Execution } from './execution.ts';
import { fromFailure } from './failures.ts';
import type { Outcome } from './journal.ts';

/** The key under which it is recorded what the schema made of the input. */
const INPUT_KEY = '$input';

/** What the workflow function gets, or what it fails with because of it. */
export type WorkflowInput = { readonly value: unknown } | { readonly error: unknown };

/**
 * The schema is asked at the first claim only. If it makes something else of the input than was given, that is
 * recorded, so that defaults and transformations are the same whenever the code runs. Throws what the journal throws.
 */
export async function workflowInput(execution: Execution): Promise<WorkflowInput> {
  const { workflow, journal } = execution.parts;
  const recorded = execution.decision(INPUT_KEY);
  if (recorded !== null) return adopt(execution, recorded);
  const given = decodeValue(journal.input);
  if (workflow.schema === undefined || journal.steps.length > 0) return { value: given };
  let encoded: string | undefined;
  try {
    const parsed = await validate(workflow.type, workflow.schema, given);
    if (isDeepStrictEqual(parsed, given)) return { value: given };
    encoded = encodeValue(parsed, 'what the schema makes of the input');
  } catch (error) {
    return { error };
  }
  return adopt(execution, await execution.decide(INPUT_KEY, encoded));
}

const adopt = ({ parts }: Execution, outcome: Outcome): WorkflowInput =>
  outcome.status === 'COMPLETED'
    ? { value: decodeValue(outcome.output) }
    : { error: fromFailure(outcome.error, INPUT_KEY, parts.workflow.errors) };
