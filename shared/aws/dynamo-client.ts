import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { type ClientSettings, clientConfig } from './client-settings.ts';

export const createDynamoClient = (settings: ClientSettings = {}): DynamoDBClient =>
  new DynamoDBClient(clientConfig(settings));
