import { Duration } from 'aws-cdk-lib';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { EngineFunction } from './engine-function.ts';
import type { EngineResources } from './engine-resources.ts';
import type { Observation } from './observation.ts';
import { triggerByQueue } from './trigger-by-queue.ts';

/** Of the function on the control queue; a sweep takes longest. */
export const WAKE_TIMEOUT = Duration.minutes(2);

export interface WakeProps {
  readonly resources: EngineResources;
  readonly observation: Observation;
  readonly maxConcurrency: number;
}

/** Serves the control queue: wake-ups from the Scheduler, and what the engine left for later. */
export class Wake extends Construct {
  readonly function: LambdaFunction;

  constructor(scope: Construct, id: string, { resources, observation, maxConcurrency }: WakeProps) {
    super(scope, id);
    const wake = new EngineFunction(this, 'Wake', {
      functionName: 'wake',
      description: 'Serves the control queue: wake-ups from the Scheduler, sweeps',
      resources,
      observation,
      timeout: WAKE_TIMEOUT,
      memorySize: 256,
    });
    this.function = wake.function;
    triggerByQueue(this, 'Control', this.function, { queue: resources.control.queue, batchSize: 10, maxConcurrency });
  }
}
