import {
  ConditionalCheckFailedException,
  DeleteItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  TransactionCanceledException,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { lostUnits } from '../model/lost-units.ts';
import type { Clock } from '../ports/clock.ts';
import type { Ids } from '../ports/ids.ts';
import {
  type Changes,
  type Condition,
  type DeleteResult,
  INDEXES,
  type IndexPage,
  type IndexQuery,
  type IndexRow,
  type Item,
  type Key,
  type Lost,
  type PutResult,
  type Query,
  type QueryPage,
  type StopWord,
  type Table,
  type TransactResult,
  type TransactWrite,
  type Units,
  type UpdateResult,
} from '../ports/table.ts';
import { AwsRetry } from './aws-retry.ts';
import { DynamoBatches } from './dynamo-batches.ts';
import * as requests from './dynamo-requests.ts';
import { type Attributes, toItem, toKey } from './dynamo-values.ts';

const { MEASURED, readUnits, writeUnits } = requests;
/** There is nothing to wake a waiter: it reads again after this long. */
const POLL_MS = 500;

export interface DynamoTableParts {
  readonly client: DynamoDBClient;
  readonly tableName: string;
  readonly clock: Clock;
  readonly ids: Ids;
}

/** An error would be made, with its stack, for nobody. */
const STOPPED = Symbol('nobody waits any more');

export class DynamoTable implements Table {
  readonly #client: DynamoDBClient;
  readonly #tableName: string;
  readonly #clock: Clock;
  readonly #ids: Ids;
  readonly #retry: AwsRetry;
  readonly #batches: DynamoBatches;

  constructor(parts: DynamoTableParts) {
    this.#client = parts.client;
    this.#tableName = parts.tableName;
    this.#clock = parts.clock;
    this.#ids = parts.ids;
    this.#retry = new AwsRetry(parts.clock, parts.ids);
    this.#batches = new DynamoBatches(parts.client, parts.tableName, this.#retry);
  }

  async get(key: Key, options: { readonly consistent?: boolean } = {}): Promise<{ item: Item | null; units: Units }> {
    const command = new GetItemCommand({
      TableName: this.#tableName,
      Key: toKey(key),
      ConsistentRead: options.consistent === true,
      ...MEASURED,
    });
    const { Item, ConsumedCapacity } = await this.#retry.send(() => this.#client.send(command));
    return { item: Item ? toItem(Item) : null, units: readUnits(ConsumedCapacity && [ConsumedCapacity]) };
  }

  put(item: Item, condition?: Condition): Promise<PutResult> {
    const write = { kind: 'put' as const, item, ...(condition && { condition }) };
    return this.#write(write, async () => {
      const command = new PutItemCommand({ ...requests.putRequest(write, this.#tableName), ...MEASURED });
      const { ConsumedCapacity } = await this.#client.send(command);
      return { ok: true, units: writeUnits(ConsumedCapacity && [ConsumedCapacity]) };
    });
  }

  update(key: Key, changes: Changes, condition?: Condition): Promise<UpdateResult> {
    const write = { kind: 'update' as const, key, changes, ...(condition && { condition }) };
    return this.#write(write, async () => {
      const request = requests.updateRequest(write, this.#tableName);
      const command = new UpdateItemCommand({ ...request, ReturnValues: 'ALL_NEW', ...MEASURED });
      const { Attributes = {}, ConsumedCapacity } = await this.#client.send(command);
      return { ok: true, item: toItem(Attributes), units: writeUnits(ConsumedCapacity && [ConsumedCapacity]) };
    });
  }

  delete(key: Key, condition?: Condition): Promise<DeleteResult> {
    const write = { kind: 'delete' as const, key, ...(condition && { condition }) };
    return this.#write(write, async () => {
      const command = new DeleteItemCommand({ ...requests.deleteRequest(write, this.#tableName), ...MEASURED });
      const { ConsumedCapacity } = await this.#client.send(command);
      return { ok: true, units: writeUnits(ConsumedCapacity && [ConsumedCapacity]) };
    });
  }

  /** `add` is not sent again after a lost answer: it might count twice. */
  #write<T>(write: TransactWrite, request: () => Promise<T>): Promise<T | Lost> {
    const repeatable = write.kind !== 'update' || Object.keys(write.changes.add ?? {}).length === 0;
    return this.#retry.send(async () => {
      try {
        return await request();
      } catch (error) {
        if (!(error instanceof ConditionalCheckFailedException)) throw error;
        const current = error.Item ? toItem(error.Item) : null;
        return { ok: false, current, units: { write: lostUnits(write, current), read: 0 } };
      }
    }, repeatable);
  }

  /** The token makes every attempt one and the same transaction. */
  async transact(writes: readonly TransactWrite[]): Promise<TransactResult> {
    requests.checkDistinct(writes.map((write) => (write.kind === 'put' ? write.item : write.key)));
    const command = new TransactWriteItemsCommand({
      TransactItems: writes.map((write) => requests.transactRequest(write, this.#tableName)),
      ClientRequestToken: this.#ids.token(),
      ...MEASURED,
    });
    return this.#retry.send(async () => {
      try {
        const { ConsumedCapacity } = await this.#client.send(command);
        return { ok: true, units: writeUnits(ConsumedCapacity) };
      } catch (error) {
        const lost = error instanceof TransactionCanceledException ? lostTransaction(writes, error) : null;
        if (lost === null) throw error;
        return lost;
      }
    });
  }

  async query(query: Query): Promise<QueryPage> {
    const command = new QueryCommand(requests.queryRequest(query, this.#tableName));
    const { Items = [], LastEvaluatedKey, ConsumedCapacity } = await this.#retry.send(() => this.#client.send(command));
    return {
      items: Items.map(toItem),
      next: LastEvaluatedKey ? toItem(LastEvaluatedKey).sk : null,
      units: readUnits(ConsumedCapacity && [ConsumedCapacity]),
    };
  }

  async queryIndex(query: IndexQuery): Promise<IndexPage> {
    const command = new QueryCommand(requests.indexQueryRequest(query, this.#tableName));
    const { Items = [], LastEvaluatedKey, ConsumedCapacity } = await this.#retry.send(() => this.#client.send(command));
    const toRow = (attributes: Attributes): IndexRow => {
      const item = toItem(attributes);
      const { hash, range } = INDEXES[query.index];
      return { pk: item.pk, sk: item.sk, hash: item[hash] as string, range: item[range] as string };
    };
    return {
      rows: Items.map(toRow),
      next: LastEvaluatedKey ? toRow(LastEvaluatedKey) : null,
      units: readUnits(ConsumedCapacity && [ConsumedCapacity]),
    };
  }

  batchGet(
    keys: readonly Key[],
    options: { readonly consistent?: boolean } = {},
  ): Promise<{ items: Item[]; units: Units }> {
    return this.#batches.get(keys, options.consistent === true);
  }

  batchWrite(writes: { readonly put?: readonly Item[]; readonly delete?: readonly Key[] }): Promise<{ units: Units }> {
    return this.#batches.write(writes.put ?? [], writes.delete ?? []);
  }

  async awaitChange(_key: Key, timeoutMs: number, stop?: StopWord): Promise<void> {
    if (stop?.isTold === true) return;
    const stopped = new AbortController();
    const abort = (): void => stopped.abort(STOPPED);
    stop?.listen(abort);
    await this.#clock.sleep(Math.min(timeoutMs, POLL_MS), stopped.signal).catch(() => undefined);
    stop?.unlisten(abort);
  }
}

/** null when it was cancelled for another reason than its conditions. */
function lostTransaction(writes: readonly TransactWrite[], error: TransactionCanceledException): TransactResult | null {
  const reasons = error.CancellationReasons ?? [];
  if (reasons.some(({ Code }) => Code === 'ValidationError')) return null;
  const failures = reasons.flatMap(({ Code, Item }, index) =>
    Code === 'ConditionalCheckFailed' ? [{ index, current: Item ? toItem(Item) : null }] : [],
  );
  if (failures.length === 0) return null;
  const losers = new Map(failures.map(({ index, current }) => [index, current]));
  const units = writes.reduce((sum, write, index) => sum + 2 * lostUnits(write, losers.get(index) ?? null), 0);
  return { ok: false, failures, units: { write: units, read: 0 } };
}
