import { type Check, shown } from './check-options.ts';

/** The part of Standard Schema (zod, valibot, arktype and others) that we use. */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => SchemaResult<Output> | Promise<SchemaResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

type SchemaResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly Issue[] };

interface Issue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

export const isSchema: Check = (value) => {
  const standard = (value as Partial<StandardSchema> | null)?.['~standard'] as
    | Partial<StandardSchema['~standard']>
    | undefined;
  if (typeof standard?.validate === 'function') return;
  throw new TypeError(
    `${shown(value)} is no schema: give one of zod, valibot, arktype or another with Standard Schema`,
  );
};

/** Input that its schema refuses. */
export class InvalidInputError extends TypeError {
  override readonly name = 'InvalidInputError';
  readonly code = 'INVALID_INPUT';
  readonly nonRetryable = true;
  constructor(
    workflowType: string,
    readonly problems: readonly string[],
  ) {
    super(`The input of workflow "${workflowType}" is not valid: ${problems.join('; ')}`);
  }
}

const pathOf = ({ path = [] }: Issue): string =>
  ['input', ...path.map((part) => String(typeof part === 'object' ? part.key : part))].join('.');

/** What the schema makes of the value, defaults and transformations included. */
export async function validate<Output>(
  workflowType: string,
  schema: StandardSchema<unknown, Output>,
  value: unknown,
): Promise<Output> {
  const result = await schema['~standard'].validate(value);
  if (result.issues === undefined) return result.value;
  throw new InvalidInputError(
    workflowType,
    result.issues.slice(0, 20).map((issue) => `${pathOf(issue)}: ${issue.message}`),
  );
}
