import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { Item } from '../ports/table.ts';
import { toItem } from './dynamo-values.ts';

/** As a stream of the table shows a change to a function: bytes are text there. */
interface StreamRecord {
  readonly dynamodb?:
    | {
        readonly SequenceNumber?: string | undefined;
        readonly NewImage?: Readonly<Record<string, unknown>> | undefined;
      }
    | undefined;
}

/** The item as a change has left it; null if it is gone. */
export function fromStreamRecord({
  dynamodb = {},
}: StreamRecord): { readonly id: string; readonly after: Item } | null {
  const { SequenceNumber: id = '', NewImage } = dynamodb;
  return NewImage === undefined ? null : { id, after: toItem(NewImage as Record<string, AttributeValue>) };
}
