import { CfnOutput, Duration, Stack, Tags } from 'aws-cdk-lib';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { type ITable, Table } from 'aws-cdk-lib/aws-dynamodb';
import { EventBus } from 'aws-cdk-lib/aws-events';
import { Topic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import type { Environment } from './environments.ts';
import { functionCode } from './function-code.ts';
import { KagziEngine, type KagziEngineProps } from './kagzi-engine.ts';
import { KagziWorker } from './kagzi-worker.ts';

const placeOf = ({ account, region }: Environment) => ({
  ...(account === undefined ? {} : { account }),
  ...(region === undefined ? {} : { region }),
});

function enginePropsOf(environment: Environment): KagziEngineProps {
  const { name, taskQueues, account: _a, region: _r, exampleWorker: _w, ...rest } = environment;
  const { eventBus: _e, restoredTable: _t, alarmTopicArn: _s, runbookUrl, settings, ...props } = rest;
  const queues = Object.entries(taskQueues).map(
    ([queue, { workerTimeoutSecs }]) => [queue, { workerTimeout: Duration.seconds(workerTimeoutSecs) }] as const,
  );
  return {
    ...props,
    ...(runbookUrl !== undefined && { runbookUrl }),
    ...(settings !== undefined && { settings }),
    environmentName: name,
    taskQueues: Object.fromEntries(queues),
  };
}

/** One environment: an engine, and the worker of the examples. */
export class EngineStack extends Stack {
  readonly engine: KagziEngine;

  constructor(scope: Construct, environment: Environment) {
    super(scope, `kagzi-${environment.name}`, {
      env: placeOf(environment),
      description: `Kagzi workflow engine (${environment.name})`,
      terminationProtection: environment.deletionProtection,
    });
    Tags.of(this).add('kagzi:environment', environment.name);
    this.engine = new KagziEngine(this, 'Engine', { ...enginePropsOf(environment), ...this.#existing(environment) });
    if (environment.exampleWorker) {
      new KagziWorker(this, 'Examples', { engine: this.engine, workerName: 'examples', code: functionCode('worker') });
    }
    this.#output();
  }

  /** What was there before the stack, by its name. */
  #existing({ eventBus, restoredTable, alarmTopicArn }: Environment): Partial<KagziEngineProps> {
    return {
      ...(eventBus !== undefined && { eventBus: EventBus.fromEventBusName(this, 'EventBus', eventBus) }),
      ...(alarmTopicArn !== undefined && {
        alarmAction: new SnsAction(Topic.fromTopicArn(this, 'AlarmTopic', alarmTopicArn)),
      }),
      ...(restoredTable !== undefined && { restoredTable: this.#tableOf(restoredTable) }),
    };
  }

  #tableOf({ tableName, tableStreamArn }: NonNullable<Environment['restoredTable']>): ITable {
    const stream = tableStreamArn === undefined ? {} : { tableStreamArn };
    return Table.fromTableAttributes(this, 'Restored', { tableName, ...stream });
  }

  #output(): void {
    const { table, bucket, taskQueues, control } = this.engine.resources;
    new CfnOutput(this, 'Url', { value: this.engine.url, description: 'Where the HTTP API is' });
    new CfnOutput(this, 'TableName', { value: table.tableName });
    new CfnOutput(this, 'BucketName', { value: bucket.bucketName });
    new CfnOutput(this, 'ControlQueueName', { value: control.queue.queueName });
    const names = Object.fromEntries([...taskQueues].map(([name, { queue }]) => [name, queue.queueName]));
    new CfnOutput(this, 'TaskQueueNames', {
      value: this.toJsonString(names),
      description: 'The SQS queues by the names of the task queues',
    });
  }
}
