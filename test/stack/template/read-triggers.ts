import { mayInvoke } from './read-permissions.ts';
import type { ResolvedResource, ResolvedTemplate } from './resolve-template.ts';

interface MappingProperties {
  readonly EventSourceArn: string;
  readonly FunctionName: string;
  readonly BatchSize?: number;
  readonly FunctionResponseTypes?: readonly string[];
  readonly ScalingConfig?: { readonly MaximumConcurrency: number };
  readonly FilterCriteria?: { readonly Filters: readonly { readonly Pattern: string }[] };
}
interface RuleProperties {
  readonly ScheduleExpression?: string;
  readonly State?: string;
  readonly Targets?: readonly {
    readonly Arn: string;
    readonly Input?: string;
    readonly RetryPolicy?: { readonly MaximumEventAgeInSeconds?: number };
  }[];
}

export interface QueueMapping {
  readonly queue: ResolvedResource;
  /** Its name, or its ARN. */
  readonly functionName: string;
  readonly batchSize: number;
  readonly maxConcurrency: number | null;
  readonly reportsFailures: boolean;
}

const isStream = ({ EventSourceArn }: MappingProperties): boolean => EventSourceArn.includes('/stream/');

const mappingsOf = (template: ResolvedTemplate) =>
  template.ofType('AWS::Lambda::EventSourceMapping').map(({ logicalId, properties }) => {
    const given = properties as unknown as MappingProperties;
    const functionName = given.FunctionName.split(':').at(-1) ?? '';
    const reportsFailures = given.FunctionResponseTypes?.includes('ReportBatchItemFailures') ?? false;
    return { logicalId, given, functionName, reportsFailures };
  });

export function readMappings(template: ResolvedTemplate): readonly QueueMapping[] {
  const mappings = mappingsOf(template).filter(({ given }) => !isStream(given));
  return mappings.map(({ logicalId, given, functionName, reportsFailures }) => {
    const queue = template.byArn(given.EventSourceArn);
    if (queue?.type !== 'AWS::SQS::Queue' || given.FilterCriteria !== undefined)
      throw new Error(`${logicalId}: the test bed knows queues without filters, and streams, as event sources only`);
    return {
      queue,
      functionName,
      batchSize: given.BatchSize ?? 10,
      maxConcurrency: given.ScalingConfig?.MaximumConcurrency ?? null,
      reportsFailures,
    };
  });
}

export interface StreamMapping {
  readonly streamArn: string;
  readonly tableName: string;
  readonly functionName: string;
  readonly batchSize: number;
  readonly reportsFailures: boolean;
  /** Parsed; a record that matches one of them is delivered. All are, if there is none. */
  readonly patterns: readonly unknown[];
}

export function readStreamMappings(template: ResolvedTemplate): readonly StreamMapping[] {
  const mappings = mappingsOf(template).filter(({ given }) => isStream(given));
  return mappings.map(({ logicalId, given, functionName, reportsFailures }) => {
    const tables = template.ofType('AWS::DynamoDB::Table');
    const table = tables.find(({ attributes }) => attributes['StreamArn'] === given.EventSourceArn);
    if (table?.properties['StreamSpecification'] === undefined)
      throw new Error(`${logicalId}: there is no such stream`);
    return {
      streamArn: given.EventSourceArn,
      tableName: table.ref,
      functionName,
      batchSize: given.BatchSize ?? 100,
      reportsFailures,
      patterns: (given.FilterCriteria?.Filters ?? []).map(({ Pattern }) => JSON.parse(Pattern) as unknown),
    };
  });
}

export interface RateRule {
  readonly functionArn: string;
  readonly everyMs: number;
  readonly input: unknown;
  readonly maxAgeMs: number;
}

const UNITS = { minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const;
const DAY_MS = 86_400_000;

/** The rules that start functions at a rate. Those that the function does not let in do not start it. */
export function readRateRules(template: ResolvedTemplate): readonly RateRule[] {
  return template.ofType('AWS::Events::Rule').flatMap(({ logicalId, attributes, properties }) => {
    const { ScheduleExpression, State, Targets = [] } = properties as unknown as RuleProperties;
    if (ScheduleExpression === undefined || State === 'DISABLED') return [];
    const [, count, unit] = /^rate\((\d+) (minute|hour|day)s?\)$/.exec(ScheduleExpression) ?? [];
    if (unit === undefined) throw new Error(`${logicalId}: the test bed does not know ${ScheduleExpression}`);
    return Targets.filter(({ Arn }) =>
      mayInvoke(template, {
        service: 'events.amazonaws.com',
        source: attributes['Arn'] ?? '',
        functionArn: Arn,
      }),
    ).map(({ Arn, Input, RetryPolicy }) => ({
      functionArn: Arn,
      everyMs: Number(count) * UNITS[unit as keyof typeof UNITS],
      input: Input === undefined ? {} : (JSON.parse(Input) as unknown),
      maxAgeMs: (RetryPolicy?.MaximumEventAgeInSeconds ?? DAY_MS / 1000) * 1000,
    }));
  });
}
