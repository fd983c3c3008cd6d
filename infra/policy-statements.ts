import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { EngineResources } from './engine-resources.ts';
import type { Permissions } from './permissions.ts';

/** Items of no namespace that every worker needs: which namespaces there are. */
const SHARED_PARTITION = '#namespaces';

/** The statements of a role. With namespaces, it reaches the items and blobs of those only. */
export function policyStatements(
  resources: EngineResources,
  permissions: Permissions,
  namespaces?: readonly string[],
): PolicyStatement[] {
  return [
    ...tableStatements(resources, permissions, namespaces),
    ...blobStatements(resources, permissions, namespaces),
    ...queueStatements(resources, permissions),
    ...timerStatements(resources, permissions),
    ...keyStatements(resources),
  ];
}

function tableStatements(
  { table }: EngineResources,
  { table: actions, indexes }: Permissions,
  namespaces: readonly string[] | undefined,
): PolicyStatement[] {
  if (actions.length === 0) return [];
  const bound = namespaces && {
    'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [SHARED_PARTITION, ...namespaces.map((name) => `${name}#*`)] },
  };
  const items = new PolicyStatement({
    actions: actions.map((action) => `dynamodb:${action}`),
    resources: [table.tableArn],
    ...(bound && { conditions: bound }),
  });
  if (indexes.length === 0) return [items];
  const rows = indexes.map((index) => `${table.tableArn}/index/${index}`);
  return [items, new PolicyStatement({ actions: ['dynamodb:Query'], resources: rows })];
}

function blobStatements(
  { bucket }: EngineResources,
  { blobs }: Permissions,
  namespaces: readonly string[] | undefined,
): PolicyStatement[] {
  if (blobs.length === 0) return [];
  const prefixes = namespaces?.map((name) => `${name}/*`);
  return [
    new PolicyStatement({
      actions: blobs.map((action) => `s3:${action}`),
      resources: (prefixes ?? ['*']).map((prefix) => bucket.arnForObjects(prefix)),
    }),
    // Even to read: what is missing is forbidden without it. A role bound to namespaces could list those of others.
    ...(namespaces === undefined
      ? [new PolicyStatement({ actions: ['s3:ListBucket'], resources: [bucket.bucketArn] })]
      : []),
  ];
}

function queueStatements({ taskQueues, control }: EngineResources, { sends, polls }: Permissions): PolicyStatement[] {
  const tasks = [...taskQueues.values()].map(({ queue }) => queue.queueArn);
  return [
    ...(sends
      ? [new PolicyStatement({ actions: ['sqs:SendMessage'], resources: [...tasks, control.queue.queueArn] })]
      : []),
    ...(polls
      ? [
          new PolicyStatement({
            actions: [
              'sqs:ReceiveMessage',
              'sqs:DeleteMessage',
              'sqs:ChangeMessageVisibility',
              'sqs:GetQueueAttributes',
            ],
            resources: tasks,
          }),
        ]
      : []),
  ];
}

function timerStatements({ timers }: EngineResources, { arms }: Permissions): PolicyStatement[] {
  if (!arms) return [];
  return [
    new PolicyStatement({
      actions: ['scheduler:CreateSchedule', 'scheduler:UpdateSchedule', 'scheduler:DeleteSchedule'],
      resources: [timers.schedulesArn],
    }),
    new PolicyStatement({
      actions: ['iam:PassRole'],
      resources: [timers.role.roleArn],
      conditions: { StringEquals: { 'iam:PassedToService': 'scheduler.amazonaws.com' } },
    }),
  ];
}

/** The services use the key for whoever calls them. */
function keyStatements({ encryptionKey }: EngineResources): PolicyStatement[] {
  if (encryptionKey === null) return [];
  return [
    new PolicyStatement({
      actions: ['kms:Decrypt', 'kms:Encrypt', 'kms:GenerateDataKey', 'kms:DescribeKey'],
      resources: [encryptionKey.keyArn],
    }),
  ];
}
