import { Stack } from 'aws-cdk-lib';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import type { MessageQueue } from './message-queue.ts';
import type { TableHandle } from './run-table.ts';
import type { Timers } from './timers.ts';

/** What the functions of an engine work on. */
export interface EngineResources {
  /** In the names, logs and metrics of the engine. */
  readonly environmentName: string;
  readonly table: TableHandle;
  readonly bucket: Pick<IBucket, 'bucketName' | 'bucketArn' | 'arnForObjects'>;
  /** By the names that runs are started with. */
  readonly taskQueues: ReadonlyMap<string, MessageQueue>;
  readonly control: MessageQueue;
  readonly timers: Timers;
  readonly encryptionKey: IKey | null;
  /** Settings of the engine, as functions/read-environment.ts reads them. */
  readonly settings: Readonly<Record<string, string>>;
}

/** The environment that functions/read-environment.ts reads. */
export function functionEnvironment(resources: EngineResources): Record<string, string> {
  const { account, region, urlSuffix } = Stack.of(resources.control);
  const names = [...resources.taskQueues].map(([name, { queue }]) => [name, queue.queueName] as const);
  return {
    ...resources.settings,
    KAGZI_ENVIRONMENT: resources.environmentName,
    KAGZI_TABLE: resources.table.tableName,
    KAGZI_BUCKET: resources.bucket.bucketName,
    KAGZI_QUEUE_BASE_URL: `https://sqs.${region}.${urlSuffix}/${account}/`,
    KAGZI_TASK_QUEUES: Stack.of(resources.control).toJsonString(Object.fromEntries(names)),
    KAGZI_CONTROL_QUEUE_ARN: resources.control.queue.queueArn,
    KAGZI_SCHEDULE_GROUP: resources.timers.groupName,
    KAGZI_SCHEDULE_ROLE_ARN: resources.timers.role.roleArn,
  };
}
