import { Duration } from 'aws-cdk-lib';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { EngineFunction } from './engine-function.ts';
import { engineMetric } from './engine-metric.ts';
import type { EngineResources } from './engine-resources.ts';
import type { Observation } from './observation.ts';
import { triggerByQueue } from './trigger-by-queue.ts';

export interface DeadLettersProps {
  readonly resources: EngineResources;
  readonly observation: Observation;
}

/** Records what arrives in any dead-letter queue where the API lists it and can send it again. */
export class DeadLetters extends Construct {
  readonly function: LambdaFunction;

  constructor(scope: Construct, id: string, { resources, observation }: DeadLettersProps) {
    super(scope, id);
    const deadLetters = new EngineFunction(this, 'DeadLetters', {
      functionName: 'dead-letters',
      description: 'Records dead letters in the table, where people find them',
      resources,
      observation,
      timeout: Duration.seconds(30),
      memorySize: 256,
    });
    this.function = deadLetters.function;
    observation.alarm(this, 'dead-letters', {
      metric: engineMetric(resources.environmentName, 'dead_letters'),
      threshold: 1,
      periods: 1,
      summary: 'A message was delivered too often and is a dead letter now.',
      section: 'dead-letters',
    });
    const queues = [...resources.taskQueues, ['control', resources.control] as const];
    for (const [name, queue] of queues) {
      triggerByQueue(this, `Of-${name}`, this.function, { queue: queue.deadLetters, batchSize: 10, maxConcurrency: 2 });
    }
  }
}
