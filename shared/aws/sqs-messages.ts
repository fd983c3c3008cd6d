import type { Message, MessageAttributeValue, SendMessageBatchRequestEntry } from '@aws-sdk/client-sqs';
import { traceOfXray, xrayHeader } from '../model/request-trace.ts';
import { utf8Length } from '../model/utf8-order.ts';
import { PortError } from '../ports/port-error.ts';
import { type Delivery, ENGINE_GROUP, type OutgoingMessage } from '../ports/queue.ts';
import { TIMER_KIND } from '../ports/timers.ts';
import { openTimer } from './timer-envelope.ts';

export const MAX_DELAY_MS = 900_000;
/** Of one message and of one batch: body, names, types and values of its attributes. */
export const MAX_BYTES = 1024 * 1024;
export const ATTRIBUTE_NAMES = ['group', 'kind', 'passes', 'since'];
export const SYSTEM_ATTRIBUTE_NAMES = ['SentTimestamp', 'ApproximateReceiveCount', 'AWSTraceHeader'] as const;

/** What SQS takes; anything else it refuses, lone surrogates among it. */
const FOREIGN = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;
const GROUP_ID = /^[\x21-\x7e]{1,128}$/;

export interface SqsDelivery extends Delivery {
  /** How many pollers it was not for have sent it on: each time it is a new message with a new count of receives. */
  readonly passes: number;
}

/** What a message that is sent on carries over from the one before. */
interface SentOn {
  readonly passes: number;
  readonly sentAt: number;
}

export interface SqsEntry {
  readonly entry: SendMessageBatchRequestEntry & { readonly Id: string };
  readonly bytes: number;
}

/** Throws what SQS would refuse, before anything is sent. */
export function toEntry(message: OutgoingMessage, id: number, sentOn?: SentOn): SqsEntry {
  const { body, group, kind, delayMs = 0, trace } = message;
  if (!(delayMs >= 0 && delayMs <= MAX_DELAY_MS))
    throw new PortError('invalid', `delayMs is ${delayMs}, not within 0 and ${MAX_DELAY_MS}`);
  for (const text of [body, group, kind]) {
    if (text === '') throw new PortError('invalid', 'a message has an empty body, group or kind');
    if (FOREIGN.test(text)) throw new PortError('invalid', 'a message has characters that SQS does not take');
  }
  if (!GROUP_ID.test(group)) throw new PortError('invalid', 'not a message group');
  const attributes: Record<string, MessageAttributeValue> = {
    group: { DataType: 'String', StringValue: group },
    kind: { DataType: 'String', StringValue: kind },
    ...(sentOn && {
      passes: { DataType: 'Number', StringValue: String(sentOn.passes) },
      since: { DataType: 'Number', StringValue: String(sentOn.sentAt) },
    }),
  };
  const bytes = utf8Length(body) + sizeOf(attributes);
  if (bytes > MAX_BYTES) throw new PortError('invalid', `a message of more than ${MAX_BYTES} bytes`);
  return {
    bytes,
    entry: {
      Id: String(id),
      MessageBody: body,
      // On a standard queue groups are served fairly and hold nothing up.
      MessageGroupId: group,
      MessageAttributes: attributes,
      ...(delayMs > 0 && { DelaySeconds: Math.ceil(delayMs / 1000) }),
      // Of no size for SQS.
      ...(trace && {
        MessageSystemAttributes: { AWSTraceHeader: { DataType: 'String', StringValue: trace } },
      }),
    },
  };
}

function sizeOf(attributes: Readonly<Record<string, MessageAttributeValue>>): number {
  return Object.entries(attributes).reduce(
    (sum, [name, { DataType = '', StringValue = '' }]) => sum + name.length + DataType.length + utf8Length(StringValue),
    0,
  );
}

export const toDelivery = (message: Message): SqsDelivery =>
  delivery({
    id: message.MessageId ?? '',
    receipt: message.ReceiptHandle ?? '',
    body: message.Body ?? '',
    sentAt: message.Attributes?.SentTimestamp,
    receiveCount: message.Attributes?.ApproximateReceiveCount,
    traceHeader: message.Attributes?.AWSTraceHeader,
    attribute: (name) => message.MessageAttributes?.[name]?.StringValue,
  });

/** The part of a record in an SQS event of Lambda that is used here. */
export interface SqsRecord {
  readonly messageId: string;
  readonly receiptHandle: string;
  readonly body: string;
  readonly attributes: {
    readonly SentTimestamp: string;
    readonly ApproximateReceiveCount: string;
    readonly AWSTraceHeader?: string | undefined;
  };
  readonly messageAttributes: Readonly<Record<string, { readonly stringValue?: string | undefined }>>;
}

export const fromRecord = (record: SqsRecord): Delivery =>
  delivery({
    id: record.messageId,
    receipt: record.receiptHandle,
    body: record.body,
    sentAt: record.attributes.SentTimestamp,
    receiveCount: record.attributes.ApproximateReceiveCount,
    traceHeader: record.attributes.AWSTraceHeader,
    attribute: (name) => record.messageAttributes[name]?.stringValue,
  });

interface Raw {
  readonly id: string;
  readonly receipt: string;
  readonly body: string;
  readonly sentAt: string | undefined;
  readonly receiveCount: string | undefined;
  readonly traceHeader: string | undefined;
  readonly attribute: (name: string) => string | undefined;
}

function delivery({ id, receipt, body, sentAt, receiveCount, traceHeader, attribute }: Raw): SqsDelivery {
  const timer = attribute('kind') === undefined ? openTimer(body) : null;
  const trace = traceOfXray(timer?.trace ?? traceHeader ?? '');
  return {
    id,
    receipt,
    body: timer?.body ?? body,
    // What came without attributes was put here by nobody we know, and concerns no namespace.
    group: timer?.group ?? attribute('group') ?? ENGINE_GROUP,
    kind: timer === null ? (attribute('kind') ?? '') : TIMER_KIND,
    receiveCount: Number(receiveCount ?? 1),
    sentAt: Number(attribute('since') ?? sentAt ?? 0),
    passes: Number(attribute('passes') ?? 0),
    ...(trace && { trace: xrayHeader(trace) }),
  };
}
