import {
  BatchWriteItemCommand,
  DeleteTableCommand,
  type DynamoDBClient,
  paginateScan,
  type WriteRequest,
} from '@aws-sdk/client-dynamodb';
import { PurgeQueueCommand } from '@aws-sdk/client-sqs';
import type { ResolvedTemplate } from '../template/resolve-template.ts';
import { createTable } from './create-table.ts';
import type { StandIns } from './stand-ins.ts';

const BATCH = 25;

/** What is left after a restore from a backup: the items of the tables, in new tables; no message, no schedule. */
export async function restoreTables(standIns: StandIns, template: ResolvedTemplate): Promise<void> {
  const { client } = standIns.dynamo;
  for (const table of template.ofType('AWS::DynamoDB::Table')) {
    const items = await allItems(client, table.ref);
    await client.send(new DeleteTableCommand({ TableName: table.ref }));
    await createTable(client, table);
    for (let start = 0; start < items.length; start += BATCH) {
      const RequestItems = { [table.ref]: items.slice(start, start + BATCH) };
      await client.send(new BatchWriteItemCommand({ RequestItems }));
    }
  }
  for (const { attributes } of template.ofType('AWS::SQS::Queue')) {
    const QueueUrl = standIns.queueUrl(attributes['QueueName'] ?? '');
    await standIns.fauxqs.sqs.send(new PurgeQueueCommand({ QueueUrl }));
  }
  const { book } = standIns.scheduler;
  for (const { GroupName, Name } of book.list({}).schedules) book.delete(GroupName, Name);
}

async function allItems(client: DynamoDBClient, TableName: string): Promise<WriteRequest[]> {
  const requests: WriteRequest[] = [];
  for await (const { Items = [] } of paginateScan({ client }, { TableName, ConsistentRead: true })) {
    requests.push(...Items.map((Item) => ({ PutRequest: { Item } })));
  }
  return requests;
}
