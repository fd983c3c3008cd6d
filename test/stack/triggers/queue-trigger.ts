import { DeleteMessageBatchCommand, type Message, ReceiveMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { SQSBatchResponse } from 'aws-lambda';
import { toRecord } from '../../helpers/event-source.ts';
import type { AccessControl } from '../iam/access-control.ts';
import type { LambdaFunction } from '../lambda/lambda-function.ts';
import { ThrottledError } from '../lambda/lambda-function.ts';
import { queueAccess } from '../proxy/sqs-accesses.ts';

export interface QueueTriggerParts {
  readonly control: AccessControl;
  readonly sqs: SQSClient;
  /** At the stand-in. */
  readonly queueUrl: string;
  readonly queueName: string;
  readonly queueArn: string;
  readonly target: LambdaFunction;
  readonly batchSize: number;
  readonly concurrency: number;
  readonly reportsFailures: boolean;
}

const WAIT_SECS = 20;
const PAUSE_MS = 1_000;

/**
 * An event source mapping: receives with the function's own role, invokes it with a batch, and deletes what was not
 * reported as failed. What failed comes again when its visibility ends, and is a dead letter by the queue's own rule.
 */
export class QueueTrigger {
  readonly #stop = new AbortController();
  #loops: Promise<void>[] = [];

  constructor(private readonly parts: QueueTriggerParts) {}

  start(): void {
    this.#loops = Array.from({ length: this.parts.concurrency }, () => this.#loop());
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#loops);
  }

  async #loop(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      try {
        if (!(await this.#mayDo('ReceiveMessage', 'GetQueueAttributes'))) await pause(PAUSE_MS);
        else await this.#turn();
      } catch {
        // The stand-in is going away, or this is.
        if (!this.#stop.signal.aborted) await pause(PAUSE_MS);
      }
    }
  }

  async #turn(): Promise<void> {
    const { sqs, queueUrl, batchSize, target, queueArn } = this.parts;
    const { Messages = [] } = await sqs.send(
      new ReceiveMessageCommand({
        QueueUrl: queueUrl,
        MaxNumberOfMessages: batchSize,
        WaitTimeSeconds: WAIT_SECS,
        MessageAttributeNames: ['All'],
        MessageSystemAttributeNames: ['All'],
      }),
      { abortSignal: this.#stop.signal },
    );
    if (Messages.length === 0) return;
    const event = { Records: Messages.map((message) => toRecord(message, queueArn)) };
    try {
      await this.#delete(served(Messages, (await target.invoke(event)) as SQSBatchResponse | undefined, this.parts));
    } catch (error) {
      if (error instanceof ThrottledError) await pause(PAUSE_MS);
    }
  }

  async #delete(messages: readonly Message[]): Promise<void> {
    if (messages.length === 0 || !(await this.#mayDo('DeleteMessage'))) return;
    const Entries = messages.map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle }));
    await this.parts.sqs.send(new DeleteMessageBatchCommand({ QueueUrl: this.parts.queueUrl, Entries }));
  }

  #mayDo(...operations: readonly string[]): Promise<boolean> {
    const { control, target, queueName } = this.parts;
    const accesses = operations.map((operation) => queueAccess(operation, queueName));
    return control.mayDo(target.parts.roleArn, accesses);
  }
}

function served(
  messages: readonly Message[],
  answer: SQSBatchResponse | undefined,
  { reportsFailures }: QueueTriggerParts,
): readonly Message[] {
  if (!reportsFailures) return messages;
  const failed = new Set((answer?.batchItemFailures ?? []).map(({ itemIdentifier }) => itemIdentifier));
  return messages.filter(({ MessageId = '' }) => !failed.has(MessageId));
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
