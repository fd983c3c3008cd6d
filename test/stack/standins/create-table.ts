import { CreateTableCommand, type CreateTableCommandInput, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { ResolvedResource } from '../template/resolve-template.ts';

/** As the template says; what an engine on one machine knows nothing of is left out. */
export async function createTable(client: DynamoDBClient, { ref, properties }: ResolvedResource): Promise<void> {
  const { KeySchema, AttributeDefinitions, GlobalSecondaryIndexes, BillingMode, StreamSpecification } =
    properties as unknown as CreateTableCommandInput;
  await client.send(
    new CreateTableCommand({
      TableName: ref,
      KeySchema,
      AttributeDefinitions,
      GlobalSecondaryIndexes,
      BillingMode,
      ...(StreamSpecification && { StreamSpecification: { ...StreamSpecification, StreamEnabled: true } }),
    }),
  );
}
