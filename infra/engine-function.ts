import type { Duration } from 'aws-cdk-lib';
import { Architecture, Function as LambdaFunction, Runtime, Tracing } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { type EngineResources, functionEnvironment } from './engine-resources.ts';
import { functionCode } from './function-code.ts';
import { FunctionIdentity } from './function-identity.ts';
import type { Observation } from './observation.ts';
import { type EngineFunctionName, PERMISSIONS } from './permissions.ts';
import { policyStatements } from './policy-statements.ts';
import { watchFunction } from './watch-function.ts';

export const RUNTIME = Runtime.NODEJS_24_X;

export interface EngineFunctionProps {
  readonly functionName: EngineFunctionName;
  readonly description: string;
  readonly resources: EngineResources;
  readonly observation: Observation;
  readonly timeout: Duration;
  readonly memorySize: number;
  /** Kept for it, and the most it may use. */
  readonly reservedConcurrency?: number | undefined;
  readonly environment?: Readonly<Record<string, string>>;
}

/** A function of the engine with the role that PERMISSIONS gives it. */
export class EngineFunction extends Construct {
  readonly function: LambdaFunction;

  constructor(scope: Construct, id: string, props: EngineFunctionProps) {
    super(scope, id);
    const { functionName: name, resources, observation, reservedConcurrency } = props;
    const fullName = `kagzi-${resources.environmentName}-${name}`;
    const { role, logGroup } = new FunctionIdentity(this, 'Identity', {
      logGroupName: `/aws/lambda/${fullName}`,
      description: `Of the function ${fullName}`,
      observation,
      encryptionKey: resources.encryptionKey,
      statements: policyStatements(resources, PERMISSIONS[name]),
    });
    this.function = new LambdaFunction(this, 'Function', {
      functionName: fullName,
      description: props.description,
      runtime: RUNTIME,
      architecture: Architecture.ARM_64,
      code: functionCode(name),
      handler: 'index.handler',
      environment: { ...functionEnvironment(resources), ...props.environment },
      timeout: props.timeout,
      memorySize: props.memorySize,
      tracing: observation.tracing ? Tracing.ACTIVE : Tracing.DISABLED,
      role,
      logGroup,
      ...(reservedConcurrency !== undefined && { reservedConcurrentExecutions: reservedConcurrency }),
    });
    watchFunction(this, this.function, name, observation);
  }
}
