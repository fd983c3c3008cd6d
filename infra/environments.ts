import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { z } from 'zod';

const ENVIRONMENT_NAMES = ['dev', 'staging', 'prod'] as const;
export type EnvironmentName = (typeof ENVIRONMENT_NAMES)[number];

const taskQueueName = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,47}$/);
const authSchema = z.discriminatedUnion('mode', [
  z.strictObject({ mode: z.literal('iam') }),
  z.strictObject({
    mode: z.literal('jwt'),
    issuer: z.url(),
    audience: z.array(z.string().min(1)).min(1),
    namespacesClaim: z.string().min(1).optional(),
  }),
]);

/** What cdk.json says of an environment: the properties of KagziEngine in words of JSON. */
const environmentSchema = z.strictObject({
  deletionProtection: z.boolean(),
  keepDataOnDelete: z.boolean(),
  recoveryDays: z.int().min(1).max(35),
  encryption: z.enum(['aws-owned', 'aws-managed', 'customer-managed']),
  auth: authSchema,
  taskQueues: z.record(taskQueueName, z.strictObject({ workerTimeoutSecs: z.int().min(1).max(900) })),
  logRetention: z.enum(RetentionDays),
  tracing: z.boolean(),
  throttle: z.strictObject({ ratePerSecond: z.int().positive(), burst: z.int().positive() }),
  reservedConcurrency: z.strictObject({
    api: z.int().positive().optional(),
    watchdog: z.int().min(2).optional(),
  }),
  wakeConcurrency: z.int().min(2).max(1000),
  /** From a backup, in place of a new one; see docs/deploying.md. */
  restoredTable: z
    .strictObject({ tableName: z.string().min(3), tableStreamArn: z.string().startsWith('arn:').optional() })
    .optional(),
  /** The name of a bus of EventBridge that is told of each run's end. */
  eventBus: z
    .string()
    .regex(/^[/.\-_A-Za-z0-9]{1,256}$/)
    .optional(),
  /** A topic of SNS that every alarm is sent to. */
  alarmTopicArn: z.string().startsWith('arn:').optional(),
  runbookUrl: z.url().optional(),
  settings: z.record(z.string(), z.string()).optional(),
  /** Whether to serve the workflows of examples/, too. */
  exampleWorker: z.boolean(),
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
