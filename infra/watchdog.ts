import { Duration } from 'aws-cdk-lib';
import { Rule, RuleTargetInput, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as FunctionTarget } from 'aws-cdk-lib/aws-events-targets';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { EngineFunction } from './engine-function.ts';
import { engineMetric } from './engine-metric.ts';
import type { EngineResources } from './engine-resources.ts';
import type { Observation } from './observation.ts';

export interface WatchdogProps {
  readonly resources: EngineResources;
  readonly observation: Observation;
  readonly reservedConcurrency?: number | undefined;
}

/** Started each minute; each one ticks every second until the next relieves it. */
export class Watchdog extends Construct {
  readonly function: LambdaFunction;

  constructor(scope: Construct, id: string, { resources, observation, reservedConcurrency }: WatchdogProps) {
    super(scope, id);
    const watchdog = new EngineFunction(this, 'Watchdog', {
      functionName: 'watchdog',
      description: 'Looks each second for runs that are due: lapsed leases, lost messages, overdue sleeps',
      resources,
      observation,
      timeout: Duration.minutes(15),
      memorySize: 256,
      reservedConcurrency,
    });
    this.function = watchdog.function;
    // One that could not be started is of no use a minute later: then the next one comes.
    this.function.configureAsyncInvoke({ retryAttempts: 0, maxEventAge: Duration.minutes(1) });
    observation.alarm(this, 'watchdog-silent', {
      metric: engineMetric(resources.environmentName, 'watchdog_ticks'),
      threshold: 1,
      below: true,
      periods: 2,
      summary: 'No tick of the watchdog for ten minutes: lost messages and dead workers go unnoticed.',
      section: 'watchdog-silent',
    });
    new Rule(this, 'EachMinute', {
      description: `Starts the watchdog of kagzi-${resources.environmentName}`,
      schedule: Schedule.rate(Duration.minutes(1)),
      targets: [
        new FunctionTarget(this.function, {
          event: RuleTargetInput.fromObject({}),
          retryAttempts: 0,
          maxEventAge: Duration.minutes(1),
        }),
      ],
    });
  }
}
