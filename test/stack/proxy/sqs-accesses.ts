import type { Access } from '../iam/evaluate.ts';
import { ACCOUNT, REGION } from '../template/physical-resource.ts';

/** Batches count as what they are batches of. */
export const queueAccess = (operation: string, queueName: string): Access => ({
  action: `sqs:${operation.replace(/Batch$/, '')}`,
  resource: `arn:aws:sqs:${REGION}:${ACCOUNT}:${queueName}`,
});

export const queueNameOf = (url: string): string => url.slice(url.lastIndexOf('/') + 1);
