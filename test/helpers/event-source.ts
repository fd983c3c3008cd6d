import { DeleteMessageBatchCommand, type Message, ReceiveMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';

export interface EventSource {
  readonly sqs: SQSClient;
  readonly url: string;
  readonly arn: string;
  readonly visibilityMs?: number;
  readonly batchSize?: number;
}

/**
 * One turn of an event source mapping with ReportBatchItemFailures: what is ready goes to the handler, what it does
 * not report is deleted, the rest comes again when its visibility ends. Answers how many were delivered.
 */
export async function deliver(
  { sqs, url, arn, visibilityMs = 30_000, batchSize = 10 }: EventSource,
  handler: (event: SQSEvent) => Promise<SQSBatchResponse>,
): Promise<number> {
  const { Messages = [] } = await sqs.send(
    new ReceiveMessageCommand({
      QueueUrl: url,
      MaxNumberOfMessages: batchSize,
      VisibilityTimeout: visibilityMs / 1000,
      MessageAttributeNames: ['All'],
      MessageSystemAttributeNames: ['All'],
    }),
  );
  if (Messages.length === 0) return 0;
  const { batchItemFailures } = await handler({ Records: Messages.map((message) => toRecord(message, arn)) });
  const failed = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
  const served = Messages.filter(({ MessageId }) => !failed.has(MessageId ?? ''));
  if (served.length > 0) {
    const Entries = served.map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle }));
    await sqs.send(new DeleteMessageBatchCommand({ QueueUrl: url, Entries }));
  }
  return Messages.length;
}

/** As Lambda shows a message: everything but the attributes' names in another case. */
export const toRecord = (message: Message, arn: string): SQSRecord => ({
  messageId: message.MessageId ?? '',
  receiptHandle: message.ReceiptHandle ?? '',
  body: message.Body ?? '',
  attributes: message.Attributes as unknown as SQSRecord['attributes'],
  messageAttributes: Object.fromEntries(
    Object.entries(message.MessageAttributes ?? {}).map(([name, { DataType = '', StringValue = '' }]) => [
      name,
      { dataType: DataType, stringValue: StringValue, stringListValues: [], binaryListValues: [] },
    ]),
  ),
  md5OfBody: message.MD5OfBody ?? '',
  eventSource: 'aws:sqs',
  eventSourceARN: arn,
  awsRegion: 'us-east-1',
});
