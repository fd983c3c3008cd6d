import type { ConsumedCapacity, QueryCommandInput, TransactWriteItem } from '@aws-sdk/client-dynamodb';
import { compareUtf8 } from '../model/utf8-order.ts';
import { PortError } from '../ports/port-error.ts';
import {
  type Condition,
  INDEXES,
  type IndexQuery,
  type Key,
  type Query,
  type TransactWrite,
  type Units,
} from '../ports/table.ts';
import { compileChanges, compileCondition, Placeholders } from './dynamo-expressions.ts';
import { toAttributes, toKey } from './dynamo-values.ts';

const RETURN_LOSER = { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } as const;
export const MEASURED = { ReturnConsumedCapacity: 'INDEXES' } as const;

function conditional(condition: Condition | undefined, placeholders: Placeholders): { ConditionExpression?: string } {
  const expression = condition && compileCondition(condition, placeholders);
  return expression === undefined ? {} : { ConditionExpression: expression };
}

export function putRequest(write: Omit<Extract<TransactWrite, { kind: 'put' }>, 'kind'>, TableName: string) {
  const placeholders = new Placeholders();
  const condition = conditional(write.condition, placeholders);
  return { TableName, Item: toAttributes(write.item), ...condition, ...placeholders.request(), ...RETURN_LOSER };
}

export function updateRequest(write: Omit<Extract<TransactWrite, { kind: 'update' }>, 'kind'>, TableName: string) {
  const placeholders = new Placeholders();
  const update = compileChanges(write.changes, placeholders);
  const condition = conditional(write.condition, placeholders);
  return {
    TableName,
    Key: toKey(write.key),
    ...(update !== undefined && { UpdateExpression: update }),
    ...condition,
    ...placeholders.request(),
    ...RETURN_LOSER,
  };
}

export function deleteRequest(write: Omit<Extract<TransactWrite, { kind: 'delete' }>, 'kind'>, TableName: string) {
  const placeholders = new Placeholders();
  const condition = conditional(write.condition, placeholders);
  return { TableName, Key: toKey(write.key), ...condition, ...placeholders.request(), ...RETURN_LOSER };
}

export function transactRequest(write: TransactWrite, TableName: string): TransactWriteItem {
  switch (write.kind) {
    case 'put':
      return { Put: putRequest(write, TableName) };
    case 'update': {
      const request = updateRequest(write, TableName);
      const { UpdateExpression } = request;
      if (UpdateExpression !== undefined) return { Update: { ...request, UpdateExpression } };
      // A transaction must have an expression, even one that changes nothing.
      return transactRequest({ ...write, changes: { remove: ['_'] } }, TableName);
    }
    case 'delete':
      return { Delete: deleteRequest(write, TableName) };
    case 'check': {
      const { ConditionExpression = 'attribute_exists(pk) OR attribute_not_exists(pk)', ...request } = deleteRequest(
        write,
        TableName,
      );
      return { ConditionCheck: { ...request, ConditionExpression } };
    }
  }
}

export function queryRequest(query: Query, TableName: string): QueryCommandInput {
  const placeholders = new Placeholders();
  let keys = `pk = ${placeholders.value(query.pk)}`;
  if (query.prefix) keys += ` AND begins_with(sk,${placeholders.value(query.prefix)})`;
  const filter = query.filter && compileCondition(query.filter, placeholders);
  const attributes =
    query.attributes && [...new Set(['pk', 'sk', ...query.attributes])].map((name) => placeholders.name(name));
  return {
    TableName,
    KeyConditionExpression: keys,
    ...(filter !== undefined && { FilterExpression: filter }),
    ...(attributes && { ProjectionExpression: attributes.join() }),
    ...(query.after !== undefined && { ExclusiveStartKey: toKey({ pk: query.pk, sk: query.after }) }),
    ...(query.limit !== undefined && { Limit: query.limit }),
    ScanIndexForward: query.reverse !== true,
    ConsistentRead: query.consistent === true,
    ...placeholders.request(),
    ...MEASURED,
  };
}

export function indexQueryRequest(query: IndexQuery, TableName: string): QueryCommandInput {
  const { hash, range } = INDEXES[query.index];
  const from = query.from === '' ? undefined : query.from;
  if (query.to !== undefined && compareUtf8(query.from ?? '', query.to) > 0) {
    throw new PortError('invalid', 'the lower bound of an index query is above the upper one');
  }
  const placeholders = new Placeholders();
  let keys = `${hash} = ${placeholders.value(query.hash)}`;
  if (from !== undefined && query.to !== undefined) {
    keys += ` AND ${range} BETWEEN ${placeholders.value(from)} AND ${placeholders.value(query.to)}`;
  } else if (from !== undefined) keys += ` AND ${range} >= ${placeholders.value(from)}`;
  else if (query.to !== undefined) keys += ` AND ${range} <= ${placeholders.value(query.to)}`;
  const { after } = query;
  return {
    TableName,
    IndexName: query.index,
    KeyConditionExpression: keys,
    ...(after && {
      ExclusiveStartKey: toAttributes({ pk: after.pk, sk: after.sk, [hash]: after.hash, [range]: after.range }),
    }),
    ...(query.limit !== undefined && { Limit: query.limit }),
    ScanIndexForward: query.reverse !== true,
    ...placeholders.request(),
    ...MEASURED,
  };
}

export function checkDistinct(keys: readonly Key[]): void {
  const names = new Set(keys.map((key) => JSON.stringify([key.pk, key.sk])));
  if (names.size !== keys.length) throw new PortError('invalid', 'the same item twice in one request');
}

const total = (capacity: readonly ConsumedCapacity[]): number =>
  capacity.reduce((sum, { CapacityUnits }) => sum + (CapacityUnits ?? 0), 0);

export function writeUnits(capacity: readonly ConsumedCapacity[] | undefined = []): Units {
  return { write: total(capacity), read: 0 };
}

export function readUnits(capacity: readonly ConsumedCapacity[] | undefined = []): Units {
  return { write: 0, read: total(capacity) };
}
