import { Duration } from 'aws-cdk-lib';
import { Metric as CloudWatchMetric, MathExpression, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { METRIC_NAMESPACE, serviceOf } from '../functions/metric-place.ts';
import type { Metric } from '../shared/ports/telemetry.ts';

export const PERIOD = Duration.minutes(5);

/** A metric of the engine as its functions emit it: the sum over a period. */
export const engineMetric = (environmentName: string, metric: Metric, label?: string): CloudWatchMetric =>
  new CloudWatchMetric({
    namespace: METRIC_NAMESPACE,
    metricName: metric,
    dimensionsMap: { service: serviceOf(environmentName) },
    statistic: Stats.SUM,
    period: PERIOD,
    label: label ?? metric.replaceAll('_', ' '),
  });

/** By how much a fire of a schedule came late, on average. */
export const scheduleLag = (environmentName: string): MathExpression =>
  new MathExpression({
    expression: 'IF(fired > 0, lag / fired, 0)',
    usingMetrics: {
      lag: engineMetric(environmentName, 'schedule_lag_ms'),
      fired: engineMetric(environmentName, 'schedules_fired'),
    },
    period: PERIOD,
    label: 'mean schedule lag, ms',
  });
