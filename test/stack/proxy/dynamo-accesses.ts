import type { Access } from '../iam/evaluate.ts';
import { ACCOUNT, REGION } from '../template/physical-resource.ts';

type Value = { readonly S?: string; readonly N?: string };
type Attributes = Readonly<Record<string, Value>>;

interface Request {
  readonly TableName: string;
  readonly IndexName?: string;
  readonly Key?: Attributes;
  readonly Item?: Attributes;
  readonly KeyConditionExpression?: string;
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>>;
  readonly ExpressionAttributeValues?: Attributes;
  readonly RequestItems?: Readonly<Record<string, unknown>>;
  readonly TransactItems?: readonly Readonly<Record<string, Request>>[];
}

const PARTITION_KEY = 'pk';
/** What a write of a transaction counts as. */
const TRANSACTION_ACTIONS: Readonly<Record<string, string>> = {
  Put: 'PutItem',
  Update: 'UpdateItem',
  Delete: 'DeleteItem',
  ConditionCheck: 'ConditionCheckItem',
  Get: 'GetItem',
};

/** What a call of DynamoDB asks IAM for. */
export function dynamoAccesses(operation: string, body: unknown): readonly Access[] {
  const request = body as Request;
  if (operation === 'TransactWriteItems' || operation === 'TransactGetItems') {
    return (request.TransactItems ?? []).flatMap((item) =>
      Object.entries(item).map(([kind, write]) => access(TRANSACTION_ACTIONS[kind] ?? kind, write, [keyOf(write)])),
    );
  }
  if (operation === 'BatchGetItem' || operation === 'BatchWriteItem') {
    return Object.entries(request.RequestItems ?? {}).map(([TableName, items]) =>
      access(operation, { TableName }, batchKeys(items)),
    );
  }
  if (operation === 'Query') return [access('Query', request, [queriedKey(request)])];
  return [access(operation, request, [keyOf(request)])];
}

function access(action: string, { TableName, IndexName }: Request, keys: readonly string[]): Access {
  const table = `arn:aws:dynamodb:${REGION}:${ACCOUNT}:table/${TableName}`;
  return {
    action: `dynamodb:${action}`,
    resource: IndexName === undefined ? table : `${table}/index/${IndexName}`,
    conditions: { 'dynamodb:LeadingKeys': [...new Set(keys)].sort() },
  };
}

const text = (value: Value | undefined): string => value?.S ?? value?.N ?? '';
const keyOf = ({ Key, Item }: Pick<Request, 'Key' | 'Item'>): string => text((Key ?? Item)?.[PARTITION_KEY]);

function batchKeys(items: unknown): readonly string[] {
  if (!Array.isArray(items)) return (items as { Keys: readonly Attributes[] }).Keys.map((Key) => keyOf({ Key }));
  return (items as readonly { PutRequest?: Request; DeleteRequest?: Request }[]).map(({ PutRequest, DeleteRequest }) =>
    keyOf(PutRequest ?? DeleteRequest ?? { TableName: '' }),
  );
}

/** The value that the hash key of the table or the index is compared with. */
function queriedKey({ KeyConditionExpression = '', ExpressionAttributeValues = {} }: Request): string {
  const [, value] = /^\(?\s*#?\w+\s*=\s*(:\w+)/.exec(KeyConditionExpression) ?? [];
  if (value === undefined) throw new Error(`the test bed cannot read the key condition ${KeyConditionExpression}`);
  return text(ExpressionAttributeValues[value]);
}
