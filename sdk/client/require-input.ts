import type { AnyWorkflow } from '../context.ts';
import { validate } from '../standard-schema.ts';
import { encodeValue } from '../values.ts';

/** What the worker would refuse is refused here already. */
export async function requireInput({ type, schema }: AnyWorkflow, input: unknown): Promise<void> {
  if (schema === undefined) return;
  encodeValue(await validate(type, schema, input), 'what the schema makes of the input');
}
