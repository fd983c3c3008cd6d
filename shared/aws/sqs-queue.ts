import {
  ChangeMessageVisibilityCommand,
  DeleteMessageBatchCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import type { Clock } from '../ports/clock.ts';
import type { Ids } from '../ports/ids.ts';
import { PortError } from '../ports/port-error.ts';
import {
  CONTROL_QUEUE,
  type Delivery,
  deadLettersOf,
  type OutgoingMessage,
  type Queue,
  type QueueDepth,
  type ReceiveOptions,
} from '../ports/queue.ts';
import { AwsRetry } from './aws-retry.ts';
import { isInvalid } from './sdk-errors.ts';
import {
  ATTRIBUTE_NAMES,
  MAX_BYTES,
  MAX_DELAY_MS,
  type SqsDelivery,
  type SqsEntry,
  SYSTEM_ATTRIBUTE_NAMES,
  toDelivery,
  toEntry,
} from './sqs-messages.ts';

const MAX_BATCH = 10;
const MAX_WAIT_SECS = 20;
const MAX_HIDDEN_MS = 12 * 3600 * 1000;
/** A message that is not for the poller that got it stays away for this long, doubling each time. */
export const PASS_ON_MS = 1_000;
const MAX_PASS_ON_MS = 30_000;
/** A message that found no poller of its own for this long is dropped: what it hints at has been sent again since. */
const MAX_PASSED_ON_MS = 3_600_000;
const STALE_RECEIPT = new Set(['MessageNotInflight', 'ReceiptHandleIsInvalid']);

export interface SqsQueueParts {
  readonly client: SQSClient;
  /** URLs by the engine's own names: task queues, the control queue, and dead-letter queues where they are needed. */
  readonly urls: ReadonlyMap<string, string>;
  readonly clock: Clock;
  readonly ids: Ids;
}

/**
 * Standard queues. SQS cannot select: a poller that asks for one group or some kinds gets whatever comes. What is not
 * for it is sent anew after a short delay and the message received is deleted, because giving that one back would
 * count as a delivery, and a few pollers it is not for would make a dead letter of it.
 */
export class SqsQueue implements Queue {
  readonly maxDelayMs = MAX_DELAY_MS;
  readonly #client: SQSClient;
  readonly #urls: ReadonlyMap<string, string>;
  readonly #clock: Clock;
  readonly #retry: AwsRetry;

  constructor({ client, urls, clock, ids }: SqsQueueParts) {
    this.#client = client;
    this.#urls = urls;
    this.#clock = clock;
    this.#retry = new AwsRetry(clock, ids);
  }

  async declared(): Promise<readonly string[]> {
    return [...this.#urls.keys()].filter((name) => name !== CONTROL_QUEUE && deadLettersOf(name) === null);
  }

  async send(queue: string, messages: readonly OutgoingMessage[]): Promise<void> {
    await this.#send(
      this.#url(queue),
      messages.map((message, index) => toEntry(message, index)),
    );
  }

  async receive(queue: string, options: ReceiveOptions): Promise<readonly Delivery[]> {
    const url = this.#url(queue);
    if (!Number.isInteger(options.max) || options.max < 1) throw new PortError('invalid', `max is ${options.max}`);
    if (!(options.visibilityMs >= 0 && options.visibilityMs <= MAX_HIDDEN_MS))
      throw new PortError('invalid', `visibilityMs is ${options.visibilityMs}, not within 0 and ${MAX_HIDDEN_MS}`);
    const end = this.#clock.monotonic() + options.waitMs;
    if (options.kinds?.length === 0) {
      await this.#clock.sleep(options.waitMs, options.signal).catch(() => undefined);
      return [];
    }
    const taken: SqsDelivery[] = [];
    let others = false;
    while (options.signal?.aborted !== true) {
      const waitSecs = Math.round((end - this.#clock.monotonic()) / 1000);
      const want = options.max - taken.length;
      const got = await this.#receive(url, options, {
        // Among messages for others it looks at more of them at once; those beyond its wish are sent on too.
        max: others ? MAX_BATCH : Math.min(want, MAX_BATCH),
        waitSecs: taken.length > 0 ? 0 : Math.min(Math.max(waitSecs, 0), MAX_WAIT_SECS),
      });
      const mine = got.filter((delivery) => isWanted(delivery, options));
      // One that was put there by hand is left to be a dead letter.
      const foreign = got.filter((delivery) => !isWanted(delivery, options) && delivery.kind !== '');
      taken.push(...mine.slice(0, want));
      others ||= foreign.length > 0;
      await this.#passOn(url, foreign, mine.slice(want));
      if (taken.length > 0 && (options.max <= MAX_BATCH || mine.length >= want || got.length === 0)) break;
      if (taken.length === 0 && (got.length === 0 ? waitSecs < 1 : this.#clock.monotonic() >= end)) break;
    }
    return taken;
  }

  async ack(queue: string, deliveries: readonly Delivery[]): Promise<void> {
    await this.#delete(this.#url(queue), deliveries);
  }

  async release(queue: string, { receipt }: Delivery, delayMs: number): Promise<void> {
    const url = this.#url(queue);
    if (!(delayMs >= 0 && delayMs <= MAX_HIDDEN_MS))
      throw new PortError('invalid', `delayMs is ${delayMs}, not within 0 and ${MAX_HIDDEN_MS}`);
    const command = new ChangeMessageVisibilityCommand({
      QueueUrl: url,
      ReceiptHandle: receipt,
      VisibilityTimeout: Math.ceil(delayMs / 1000),
    });
    await this.#retry.send(async () => {
      try {
        await this.#client.send(command);
      } catch (error) {
        if (!STALE_RECEIPT.has((error as Error).name)) throw error;
      }
    });
  }

  /** Of the whole queue: SQS does not count groups. A queue that the stack no longer has is empty. */
  async depth(queue: string): Promise<QueueDepth> {
    const url = this.#urls.get(queue);
    if (url === undefined) return { ready: 0, delayed: 0, inFlight: 0, oldestSentAt: null };
    const command = new GetQueueAttributesCommand({
      QueueUrl: url,
      AttributeNames: [
        'ApproximateNumberOfMessages',
        'ApproximateNumberOfMessagesDelayed',
        'ApproximateNumberOfMessagesNotVisible',
      ],
    });
    const { Attributes = {} } = await this.#retry.send(() => this.#client.send(command));
    return {
      ready: Number(Attributes['ApproximateNumberOfMessages'] ?? 0),
      delayed: Number(Attributes['ApproximateNumberOfMessagesDelayed'] ?? 0),
      inFlight: Number(Attributes['ApproximateNumberOfMessagesNotVisible'] ?? 0),
      oldestSentAt: null,
    };
  }

  #url(queue: string): string {
    const url = this.#urls.get(queue);
    if (url === undefined) throw new PortError('invalid', `there is no queue "${queue}" in this stack`);
    return url;
  }

  async #receive(
    url: string,
    { visibilityMs, signal }: ReceiveOptions,
    { max, waitSecs }: { readonly max: number; readonly waitSecs: number },
  ): Promise<readonly SqsDelivery[]> {
    const command = new ReceiveMessageCommand({
      QueueUrl: url,
      MaxNumberOfMessages: max,
      WaitTimeSeconds: waitSecs,
      VisibilityTimeout: Math.ceil(visibilityMs / 1000),
      MessageAttributeNames: ATTRIBUTE_NAMES,
      MessageSystemAttributeNames: [...SYSTEM_ATTRIBUTE_NAMES],
    });
    return this.#retry.send(async () => {
      try {
        const { Messages = [] } = await this.#client.send(command, signal ? { abortSignal: signal } : {});
        return Messages.map(toDelivery);
      } catch (error) {
        // What was on its way comes again when its visibility ends.
        if (signal?.aborted === true) return [];
        throw error;
      }
    });
  }

  /** Sent first, deleted then: a crash between the two doubles a hint. What cannot be sent on comes back by itself. */
  async #passOn(url: string, foreign: readonly SqsDelivery[], surplus: readonly SqsDelivery[]): Promise<void> {
    if (foreign.length + surplus.length === 0) return;
    const now = this.#clock.now();
    const fresh = foreign.filter(({ sentAt }) => now - sentAt < MAX_PASSED_ON_MS);
    const again = [
      ...fresh.map((delivery) => ({ delivery, passes: delivery.passes + 1, delayMs: passOnMs(delivery.passes) })),
      ...surplus.map((delivery) => ({ delivery, passes: delivery.passes, delayMs: 0 })),
    ];
    try {
      await this.#send(
        url,
        again.map(({ delivery, passes, delayMs }, index) =>
          toEntry({ ...delivery, delayMs }, index, { passes, sentAt: delivery.sentAt }),
        ),
      );
      await this.#delete(url, [...foreign, ...surplus]);
    } catch (error) {
      if (!(error instanceof PortError)) throw error;
    }
  }

  async #send(url: string, entries: readonly SqsEntry[]): Promise<void> {
    for (const batch of inBatches(entries)) {
      await this.#retry.drain(batch, async (rest) => {
        const command = new SendMessageBatchCommand({ QueueUrl: url, Entries: rest.map(({ entry }) => entry) });
        const { Failed = [] } = await this.#client.send(command);
        const refused = Failed.find(({ SenderFault, Code }) => SenderFault === true && isInvalid(Code));
        if (refused !== undefined) throw new PortError('invalid', `${refused.Code}: ${refused.Message}`);
        const failed = new Set(Failed.map(({ Id }) => Id));
        return rest.filter(({ entry }) => failed.has(entry.Id));
      });
    }
  }

  /** A receipt that names nothing any more is as good as deleted. */
  async #delete(url: string, deliveries: readonly Delivery[]): Promise<void> {
    for (let start = 0; start < deliveries.length; start += MAX_BATCH) {
      const entries = deliveries
        .slice(start, start + MAX_BATCH)
        .map(({ receipt }, index) => ({ Id: String(index), ReceiptHandle: receipt }));
      await this.#retry.drain(entries, async (rest) => {
        const command = new DeleteMessageBatchCommand({ QueueUrl: url, Entries: [...rest] });
        const { Failed = [] } = await this.#client.send(command);
        const failed = new Set(Failed.flatMap(({ Id, SenderFault }) => (SenderFault === true ? [] : [Id])));
        return rest.filter(({ Id }) => failed.has(Id));
      });
    }
  }
}

const passOnMs = (passes: number): number => Math.min(PASS_ON_MS * 2 ** passes, MAX_PASS_ON_MS);

const isWanted = ({ group, kind }: Delivery, options: ReceiveOptions): boolean =>
  (options.group === undefined || options.group === group) && (options.kinds?.includes(kind) ?? true);

/** At most ten in a batch, and at most as many bytes as one message may have. */
function inBatches(entries: readonly SqsEntry[]): readonly (readonly SqsEntry[])[] {
  const batches: SqsEntry[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const entry of entries) {
    const last = batches.at(-1);
    bytes += entry.bytes;
    if (last === undefined || last.length === MAX_BATCH || bytes > MAX_BYTES) {
      batches.push([entry]);
      bytes = entry.bytes;
    } else last.push(entry);
  }
  return batches;
}
