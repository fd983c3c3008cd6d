import {
  CreateTableCommand,
  type DynamoDBClient,
  UpdateTimeToLiveCommand,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import { INDEXES, TTL_ATTRIBUTE } from '../ports/table.ts';

/** For engines without CloudFormation; in an account the stack declares the same table. */
export async function createRunTable(client: DynamoDBClient, tableName: string): Promise<void> {
  const indexes = Object.entries(INDEXES);
  const attributes = ['pk', 'sk', ...indexes.flatMap(([, { hash, range }]) => [hash, range])];
  await client.send(
    new CreateTableCommand({
      TableName: tableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: attributes.map((name) => ({ AttributeName: name, AttributeType: 'S' as const })),
      KeySchema: keySchema('pk', 'sk'),
      GlobalSecondaryIndexes: indexes.map(([name, { hash, range }]) => ({
        IndexName: name,
        KeySchema: keySchema(hash, range),
        Projection: { ProjectionType: 'KEYS_ONLY' as const },
      })),
    }),
  );
  await waitUntilTableExists({ client, maxWaitTime: 60, minDelay: 1 }, { TableName: tableName });
  await client.send(
    new UpdateTimeToLiveCommand({
      TableName: tableName,
      TimeToLiveSpecification: { Enabled: true, AttributeName: TTL_ATTRIBUTE },
    }),
  );
}

function keySchema(hash: string, range: string) {
  return [
    { AttributeName: hash, KeyType: 'HASH' as const },
    { AttributeName: range, KeyType: 'RANGE' as const },
  ];
}
