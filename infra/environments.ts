import { z } from 'zod';

const ENVIRONMENT_NAMES = ['dev', 'staging', 'prod'] as const;
export type EnvironmentName = (typeof ENVIRONMENT_NAMES)[number];

const environmentSchema = z.strictObject({
  deletionProtection: z.boolean(),
  /** Whether the table outlives its stack. */
  keepDataOnDelete: z.boolean(),
  /** How far back point-in-time recovery reaches. */
  recoveryDays: z.int().min(1).max(35),
  /** Both are encrypted at rest; `aws-managed` adds an audit trail of the key's use, at the price of KMS calls. */
  encryption: z.enum(['aws-owned', 'aws-managed']),
  account: z.string().optional(),
  region: z.string().optional(),
});
export type Environment = z.infer<typeof environmentSchema> & { readonly name: EnvironmentName };

const isEnvironmentName = (name: unknown): name is EnvironmentName =>
  ENVIRONMENT_NAMES.some((candidate) => candidate === name);

/** Takes the `env` and `environments` of the CDK context. */
export const selectEnvironment = (name: unknown, environments: unknown): Environment => {
  if (!isEnvironmentName(name)) {
    throw new Error(`Unknown environment ${JSON.stringify(name)}: choose with -c env=${ENVIRONMENT_NAMES.join('|')}`);
  }
  const declared = z.record(z.string(), z.unknown()).safeParse(environments);
  if (!declared.success || !(name in declared.data)) {
    throw new Error(`cdk.json declares no environment "${name}" under context.environments`);
  }
  const parsed = environmentSchema.safeParse(declared.data[name]);
  if (!parsed.success) {
    throw new Error(`cdk.json, context.environments.${name}:\n${z.prettifyError(parsed.error)}`);
  }
  return { name, ...parsed.data };
};
