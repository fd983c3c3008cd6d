import { type IMetric, MathExpression } from 'aws-cdk-lib/aws-cloudwatch';
import { CfnFunction, type Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { LIST_PRICES } from '../shared/model/list-prices.ts';
import { engineMetric, PERIOD } from './engine-metric.ts';
import type { MessageQueue } from './message-queue.ts';

export interface CostSources {
  readonly environmentName: string;
  readonly requests: IMetric;
  readonly queues: readonly MessageQueue[];
  readonly functions: readonly LambdaFunction[];
}

/** Lambda's, for a function that does not say. */
const DEFAULT_MB = 128;

/**
 * What the engine used, at list prices, over the runs started in the same time. SQS counts messages, not requests, so
 * batches make the queues look dearer than they are; logs, storage and schedules are not in it.
 */
export function dollarsPerThousandRuns({ environmentName, requests, queues, functions }: CostSources): MathExpression {
  const terms: { readonly metric: IMetric; readonly price: number }[] = [
    { metric: engineMetric(environmentName, 'write_units'), price: LIST_PRICES.writeUnit },
    { metric: engineMetric(environmentName, 'read_units'), price: LIST_PRICES.readUnit },
    { metric: requests, price: LIST_PRICES.httpApiRequest },
    ...queues.flatMap(({ queue }) =>
      [
        queue.metricNumberOfMessagesSent({ period: PERIOD }),
        queue.metricNumberOfMessagesReceived({ period: PERIOD }),
        queue.metricNumberOfMessagesDeleted({ period: PERIOD }),
        queue.metricNumberOfEmptyReceives({ period: PERIOD }),
      ].map((metric) => ({ metric, price: LIST_PRICES.queueCall })),
    ),
    ...functions.flatMap((each) => [
      { metric: each.metricInvocations({ period: PERIOD }), price: LIST_PRICES.lambdaRequest },
      {
        metric: each.metricDuration({ statistic: 'Sum', period: PERIOD }),
        price: (LIST_PRICES.lambdaGbSecond * memoryMb(each)) / 1024 / 1000,
      },
    ]),
  ];
  const named = terms.map(({ metric, price }, at) => ({ name: `c${at}`, metric, price }));
  const sum = named.map(({ name, price }) => `FILL(${name}, 0) * ${price.toFixed(15)}`).join(' + ');
  return new MathExpression({
    expression: `IF(runs > 0, 1000 * (${sum}) / runs, 0)`,
    usingMetrics: {
      runs: engineMetric(environmentName, 'runs_started'),
      ...Object.fromEntries(named.map(({ name, metric }) => [name, metric])),
    },
    period: PERIOD,
    label: 'dollars per thousand runs',
  });
}

function memoryMb(each: LambdaFunction): number {
  const resource = each.node.defaultChild;
  return resource instanceof CfnFunction ? (resource.memorySize ?? DEFAULT_MB) : DEFAULT_MB;
}
