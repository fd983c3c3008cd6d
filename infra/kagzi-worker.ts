import { Duration } from 'aws-cdk-lib';
import type { IVpc, SubnetSelection } from 'aws-cdk-lib/aws-ec2';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import {
  Architecture,
  type Code,
  type Function as ExistingFunction,
  type ILayerVersion,
  Function as LambdaFunction,
  Tracing,
} from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { checkNamespaces } from './check-namespaces.ts';
import { RUNTIME } from './engine-function.ts';
import { functionEnvironment } from './engine-resources.ts';
import { FunctionIdentity } from './function-identity.ts';
import type { KagziEngine } from './kagzi-engine.ts';
import { PERMISSIONS } from './permissions.ts';
import { policyStatements } from './policy-statements.ts';
import { triggerByQueue } from './trigger-by-queue.ts';
import { watchFunction } from './watch-function.ts';

/** What a function in a VPC needs for its network interfaces; they belong to no resource before they are there. */
const NETWORK_ACTIONS = [
  'ec2:CreateNetworkInterface',
  'ec2:DescribeNetworkInterfaces',
  'ec2:DescribeSubnets',
  'ec2:DeleteNetworkInterface',
  'ec2:AssignPrivateIpAddresses',
  'ec2:UnassignPrivateIpAddresses',
];

interface CommonProps {
  readonly engine: KagziEngine;
  /** `default`, if not given. */
  readonly taskQueue?: string;
  /** The namespaces whose items and blobs its role reaches; all, if not given. Others belong on other task queues. */
  readonly namespaces?: readonly string[];
  /** The most invocations at once; 10, if not given. */
  readonly maxConcurrency?: number;
  /** Messages per invocation; 1 gives every run a process of its own while it is served. 10, if not given. */
  readonly batchSize?: number;
}

/** A function made for it: the code is a bundle whose `index.handler` is `createWorker(…).lambda()`. */
interface OwnFunctionProps extends CommonProps {
  /** In its name: `kagzi-ENVIRONMENT-worker-NAME`. */
  readonly workerName: string;
  readonly code: Code;
  /** `index.handler`, if not given. */
  readonly handler?: string;
  /** 512 MB, if not given. */
  readonly memorySize?: number;
  /** As long as its task queue expects, if not given; never longer. */
  readonly timeout?: Duration;
  readonly layers?: readonly ILayerVersion[];
  readonly vpc?: IVpc;
  readonly vpcSubnets?: SubnetSelection;
  readonly environment?: Readonly<Record<string, string>>;
  /** Kept for it, and the most it may use, whatever triggers it. */
  readonly reservedConcurrency?: number;
}

/** A function you have: it gets the trigger, the environment and the permissions. */
interface ExistingFunctionProps extends CommonProps {
  readonly function: ExistingFunction;
}

export type KagziWorkerProps = OwnFunctionProps | ExistingFunctionProps;

/** A Lambda function that serves the runs of a task queue. */
export class KagziWorker extends Construct {
  readonly function: LambdaFunction;

  constructor(scope: Construct, id: string, props: KagziWorkerProps) {
    super(scope, id);
    const { engine, taskQueue = 'default', batchSize = 10, maxConcurrency = 10 } = props;
    checkNamespaces(props.namespaces);
    const tasks = engine.resources.taskQueues.get(taskQueue);
    if (tasks === undefined) {
      const known = [...engine.resources.taskQueues.keys()].join(', ');
      throw new Error(`The engine has no task queue "${taskQueue}"; it has ${known}.`);
    }
    this.function = 'function' in props ? this.#adopt(props) : this.#create(props, tasks.consumerTimeout);
    const timeout = this.function.timeout ?? Duration.seconds(3);
    if (timeout.toSeconds() > tasks.consumerTimeout.toSeconds()) {
      throw new Error(
        `A worker on "${taskQueue}" may run for ${tasks.consumerTimeout.toSeconds()} s, this one for ${timeout.toSeconds()} s: give the queue a longer workerTimeout.`,
      );
    }
    watchFunction(this, this.function, `worker-${id.toLowerCase()}`, engine.observation);
    engine.dashboard.addWorker(id, this.function);
    triggerByQueue(this, 'Tasks', this.function, { queue: tasks.queue, batchSize, maxConcurrency });
  }

  #create(props: OwnFunctionProps, longest: Duration): LambdaFunction {
    const { resources, observation } = props.engine;
    const fullName = `kagzi-${resources.environmentName}-worker-${props.workerName}`;
    const network = new PolicyStatement({ actions: NETWORK_ACTIONS, resources: ['*'] });
    const { role, logGroup } = new FunctionIdentity(this, 'Identity', {
      logGroupName: `/aws/lambda/${fullName}`,
      description: `Of the function ${fullName}`,
      observation,
      encryptionKey: resources.encryptionKey,
      statements: [
        ...policyStatements(resources, PERMISSIONS.worker, props.namespaces),
        ...(props.vpc === undefined ? [] : [network]),
      ],
    });
    return new LambdaFunction(this, 'Function', {
      functionName: fullName,
      description: `Serves workflows from the task queue ${props.taskQueue ?? 'default'}`,
      runtime: RUNTIME,
      architecture: Architecture.ARM_64,
      code: props.code,
      handler: props.handler ?? 'index.handler',
      environment: { ...functionEnvironment(resources), ...props.environment },
      timeout: props.timeout ?? longest,
      memorySize: props.memorySize ?? 512,
      tracing: observation.tracing ? Tracing.ACTIVE : Tracing.DISABLED,
      role,
      logGroup,
      ...(props.layers !== undefined && { layers: [...props.layers] }),
      ...(props.vpc !== undefined && { vpc: props.vpc }),
      ...(props.vpcSubnets !== undefined && { vpcSubnets: props.vpcSubnets }),
      ...(props.reservedConcurrency !== undefined && { reservedConcurrentExecutions: props.reservedConcurrency }),
    });
  }

  #adopt({ engine, function: existing, namespaces }: ExistingFunctionProps): LambdaFunction {
    for (const statement of policyStatements(engine.resources, PERMISSIONS.worker, namespaces)) {
      existing.addToRolePolicy(statement);
    }
    for (const [name, value] of Object.entries(functionEnvironment(engine.resources))) {
      existing.addEnvironment(name, value);
    }
    return existing;
  }
}
