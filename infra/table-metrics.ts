import { MathExpression, Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { INDEXES } from '../shared/ports/table.ts';
import { PERIOD } from './engine-metric.ts';

const INDEX_NAMES = Object.keys(INDEXES);

/** A metric of the table itself, or of one of its indexes. */
export const tableMetric = (tableName: string, metricName: string, index?: string): Metric =>
  new Metric({
    namespace: 'AWS/DynamoDB',
    metricName,
    dimensionsMap: { TableName: tableName, ...(index !== undefined && { GlobalSecondaryIndexName: index }) },
    statistic: Stats.SUM,
    period: PERIOD,
    label: `${metricName} ${index ?? 'table'}`,
  });

/** A hot index throttles the writes of its table. */
export function tableThrottles(tableName: string): MathExpression {
  const places = [undefined, ...INDEX_NAMES];
  const metrics = places.flatMap((index) =>
    ['ReadThrottleEvents', 'WriteThrottleEvents'].map((name) => tableMetric(tableName, name, index)),
  );
  const named = metrics.map((metric, at) => [`m${at}`, metric] as const);
  return new MathExpression({
    expression: named.map(([name]) => `FILL(${name}, 0)`).join(' + '),
    usingMetrics: Object.fromEntries(named),
    period: PERIOD,
    label: 'table throttles',
  });
}
