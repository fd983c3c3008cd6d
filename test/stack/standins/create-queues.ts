import { CreateQueueCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { ResolvedResource } from '../template/resolve-template.ts';

interface QueueProperties {
  readonly RedrivePolicy?: object;
  readonly VisibilityTimeout?: number;
  readonly MessageRetentionPeriod?: number;
  readonly DelaySeconds?: number;
}

/** As the template says, dead-letter queues first; answers where the stand-in has them, by their names. */
export async function createQueues(
  sqs: SQSClient,
  queues: readonly ResolvedResource[],
): Promise<ReadonlyMap<string, string>> {
  const urls = new Map<string, string>();
  const ordered = [...queues].sort(
    (a, b) => Number('RedrivePolicy' in a.properties) - Number('RedrivePolicy' in b.properties),
  );
  for (const { properties, attributes } of ordered) {
    const { RedrivePolicy, VisibilityTimeout, MessageRetentionPeriod, DelaySeconds } = properties as QueueProperties;
    const wanted = {
      RedrivePolicy: RedrivePolicy && JSON.stringify(RedrivePolicy),
      VisibilityTimeout: VisibilityTimeout?.toString(),
      MessageRetentionPeriod: MessageRetentionPeriod?.toString(),
      DelaySeconds: DelaySeconds?.toString(),
    };
    const Attributes = Object.fromEntries(
      Object.entries(wanted).filter((entry): entry is [string, string] => entry[1] !== undefined),
    );
    const QueueName = attributes['QueueName'] ?? '';
    const { QueueUrl = '' } = await sqs.send(new CreateQueueCommand({ QueueName, Attributes }));
    urls.set(QueueName, QueueUrl);
  }
  return urls;
}
