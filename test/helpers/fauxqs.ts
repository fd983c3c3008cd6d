import { CreateBucketCommand, type S3Client } from '@aws-sdk/client-s3';
import { CreateQueueCommand, GetQueueAttributesCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { buildApp } from 'fauxqs';
import { createS3Client } from '../../shared/aws/s3-client.ts';
import { createSqsClient } from '../../shared/aws/sqs-client.ts';
import { deadLetterQueue } from '../../shared/ports/queue.ts';

export interface Fauxqs {
  readonly endpoint: string;
  readonly sqs: SQSClient;
  readonly s3: S3Client;
  /** Makes queues with their dead-letter queues; answers the URLs of all of them by the engine's names. */
  createQueues(names: readonly string[], maxReceives: number): Promise<Map<string, string>>;
  createBucket(): Promise<string>;
  arnOf(url: string): string;
  urlOf(arn: string): string;
  stop(): Promise<void>;
}

/** SQS and S3 in this process, whose clock is theirs. */
export async function startFauxqs(region = 'local'): Promise<Fauxqs> {
  const app = buildApp({ logger: false });
  const endpoint = await app.listen({ port: 0, host: '127.0.0.1' });
  const sqs = createSqsClient({ endpoint, region });
  const s3 = createS3Client({ endpoint, region, pathStyle: true });
  const arns = new Map<string, string>();
  let made = 0;
  const createQueue = async (name: string, attributes: Record<string, string> = {}) => {
    const { QueueUrl: url = '' } = await sqs.send(new CreateQueueCommand({ QueueName: name, Attributes: attributes }));
    const wanted = new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ['QueueArn'] });
    const { Attributes = {} } = await sqs.send(wanted);
    arns.set(url, Attributes['QueueArn'] ?? '');
    return { url, arn: Attributes['QueueArn'] ?? '' };
  };
  const known = (text: string | undefined): string => {
    if (text === undefined) throw new Error('there is no such queue');
    return text;
  };
  return {
    endpoint,
    sqs,
    s3,
    async createQueues(names, maxReceives) {
      const prefix = `q${made++}-`;
      const byName = new Map<string, string>();
      for (const name of names) {
        const physical = prefix + name.replaceAll('.', '-');
        const dead = await createQueue(`${physical}-dead`);
        const redrive = { deadLetterTargetArn: dead.arn, maxReceiveCount: maxReceives };
        const queue = await createQueue(physical, { RedrivePolicy: JSON.stringify(redrive) });
        byName.set(name, queue.url).set(deadLetterQueue(name), dead.url);
      }
      return byName;
    },
    async createBucket() {
      const bucket = `bucket-${made++}`;
      await s3.send(new CreateBucketCommand({ Bucket: bucket }));
      return bucket;
    },
    arnOf: (url) => known(arns.get(url)),
    urlOf: (arn) => known([...arns].find(([, known]) => known === arn)?.[0]),
    async stop() {
      sqs.destroy();
      s3.destroy();
      await app.close();
    },
  };
}
