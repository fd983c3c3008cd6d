import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { EventSourceMapping, type IFunction } from 'aws-cdk-lib/aws-lambda';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';

export interface QueueTrigger {
  readonly queue: IQueue;
  readonly batchSize: number;
  /** The most invocations at once; at least 2. Unlike a reserved concurrency it throttles nothing. */
  readonly maxConcurrency?: number | undefined;
}

/** Invokes the function with what comes in the queue. Messages that fail are reported, and come again alone. */
export function triggerByQueue(scope: Construct, id: string, target: IFunction, trigger: QueueTrigger): void {
  const { queue, batchSize, maxConcurrency } = trigger;
  target.addToRolePolicy(
    new PolicyStatement({
      actions: ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'],
      resources: [queue.queueArn],
    }),
  );
  const mapping = new EventSourceMapping(scope, id, {
    target,
    eventSourceArn: queue.queueArn,
    batchSize,
    reportBatchItemFailures: true,
    ...(maxConcurrency !== undefined && { maxConcurrency }),
  });
  if (target.role !== undefined) mapping.node.addDependency(target.role);
}
