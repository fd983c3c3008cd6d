import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { PERIOD } from './engine-metric.ts';
import type { Observation } from './observation.ts';

/** The alarms of a function, under the name it has in the engine. */
export function watchFunction(scope: Construct, watched: LambdaFunction, name: string, observation: Observation): void {
  observation.alarm(scope, `${name}-errors`, {
    metric: watched.metricErrors({ period: PERIOD }),
    threshold: 1,
    periods: 3,
    summary: `Invocations of ${name} fail as a whole: it does not start, runs out of time or memory.`,
    section: 'function-errors',
  });
  observation.alarm(scope, `${name}-throttled`, {
    metric: watched.metricThrottles({ period: PERIOD }),
    threshold: 1,
    periods: 3,
    summary: `There is no concurrency left for ${name}.`,
    section: 'function-throttled',
  });
}
