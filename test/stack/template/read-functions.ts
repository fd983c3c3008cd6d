import type { FunctionParts } from '../lambda/lambda-function.ts';
import type { ResolvedResource, ResolvedTemplate } from './resolve-template.ts';

interface FunctionProperties {
  readonly Code: { readonly S3Key: string };
  readonly Handler: string;
  readonly Role: string;
  readonly Timeout?: number;
  readonly MemorySize?: number;
  readonly ReservedConcurrentExecutions?: number;
  readonly Environment?: { readonly Variables: Readonly<Record<string, string>> };
  readonly TracingConfig?: { readonly Mode: string };
  readonly LoggingConfig?: { readonly LogGroup: string };
}

export const readFunctions = (template: ResolvedTemplate): readonly FunctionParts[] =>
  template.ofType('AWS::Lambda::Function').map((resource) => readFunction(template, resource));

function readFunction({ stack }: ResolvedTemplate, { ref, attributes, properties }: ResolvedResource): FunctionParts {
  const given = properties as unknown as FunctionProperties;
  return {
    name: ref,
    arn: attributes['Arn'] ?? '',
    logGroup: given.LoggingConfig?.LogGroup ?? `/aws/lambda/${ref}`,
    roleArn: given.Role,
    handler: given.Handler,
    taskRoot: stack.assetPath(given.Code.S3Key.replace(/\.zip$/, '')),
    timeoutMs: (given.Timeout ?? 3) * 1000,
    reserved: given.ReservedConcurrentExecutions ?? null,
    memoryMb: given.MemorySize ?? 128,
    isTraced: given.TracingConfig?.Mode === 'Active',
    variables: given.Environment?.Variables ?? {},
  };
}
