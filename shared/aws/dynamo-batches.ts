import {
  BatchGetItemCommand,
  BatchWriteItemCommand,
  type DynamoDBClient,
  type WriteRequest,
} from '@aws-sdk/client-dynamodb';
import { checkItem, checkKey } from '../model/check-item.ts';
import { PortError } from '../ports/port-error.ts';
import type { Item, Key, Units } from '../ports/table.ts';
import type { AwsRetry } from './aws-retry.ts';
import { checkDistinct, MEASURED, readUnits, writeUnits } from './dynamo-requests.ts';
import { type Attributes, toAttributes, toItem, toKey } from './dynamo-values.ts';

const MAX_GET = 100;
const MAX_WRITE = 25;
/** Chunks of one read under way at a time. */
const READERS = 8;

export class DynamoBatches {
  readonly #client: DynamoDBClient;
  readonly #tableName: string;
  readonly #retry: AwsRetry;

  constructor(client: DynamoDBClient, tableName: string, retry: AwsRetry) {
    this.#client = client;
    this.#tableName = tableName;
    this.#retry = retry;
  }

  async get(keys: readonly Key[], consistent: boolean): Promise<{ items: Item[]; units: Units }> {
    for (const key of keys) checkKey(key);
    checkDistinct(keys);
    const items: Item[] = [];
    let read = 0;
    const chunks = inChunks(keys.map(toKey), MAX_GET);
    const request = async (Keys: readonly Attributes[]): Promise<readonly Attributes[]> => {
      const RequestItems = { [this.#tableName]: { Keys: [...Keys], ConsistentRead: consistent } };
      const answer = await this.#client.send(new BatchGetItemCommand({ RequestItems, ...MEASURED }));
      for (const found of answer.Responses?.[this.#tableName] ?? []) items.push(toItem(found));
      read += readUnits(answer.ConsumedCapacity).read;
      return answer.UnprocessedKeys?.[this.#tableName]?.Keys ?? [];
    };
    for (const wave of inChunks(chunks, READERS)) {
      await Promise.all(wave.map((chunk) => this.#retry.drain(chunk, request)));
    }
    return { items, units: { write: 0, read } };
  }

  /** Everything is checked before the first chunk goes, so that what is refused as invalid has left nothing behind. */
  async write(puts: readonly Item[], deletes: readonly Key[]): Promise<{ units: Units }> {
    for (const item of puts) checkItem(item);
    for (const key of deletes) checkKey(key);
    checkDistinct([...puts, ...deletes]);
    let write = 0;
    const request = async (work: readonly WriteRequest[]): Promise<readonly WriteRequest[]> => {
      const RequestItems = { [this.#tableName]: [...work] };
      const answer = await this.#client.send(new BatchWriteItemCommand({ RequestItems, ...MEASURED }));
      write += writeUnits(answer.ConsumedCapacity).write;
      return answer.UnprocessedItems?.[this.#tableName] ?? [];
    };
    const work: WriteRequest[] = [
      ...puts.map((item) => ({ PutRequest: { Item: toAttributes(item) } })),
      ...deletes.map((key) => ({ DeleteRequest: { Key: toKey(key) } })),
    ];
    try {
      for (const chunk of inChunks(work, MAX_WRITE)) await this.#retry.drain(chunk, request);
    } catch (error) {
      if (!(error instanceof PortError) || write === 0) throw error;
      throw new PortError('unknown', `a batch was written in part: ${error.message}`, { cause: error });
    }
    return { units: { write, read: 0 } };
  }
}

function inChunks<T>(all: readonly T[], size: number): T[][] {
  const chunks: T[][] = [];
  for (let at = 0; at < all.length; at += size) chunks.push(all.slice(at, at + size));
  return chunks;
}
