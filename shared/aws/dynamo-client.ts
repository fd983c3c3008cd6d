import { DynamoDBClient } from '@aws-sdk/client-dynamodb';

export interface DynamoClientSettings {
  readonly region?: string;
  /** Another engine than AWS's own; any credentials will do there. */
  readonly endpoint?: string;
}

/** The SDK's own retries are off: DynamoTable retries, and must know whether a request may have got through before. */
export function createDynamoClient(settings: DynamoClientSettings = {}): DynamoDBClient {
  return new DynamoDBClient({
    maxAttempts: 1,
    requestHandler: { connectionTimeout: 2_000, requestTimeout: 5_000, throwOnRequestTimeout: true },
    ...(settings.region !== undefined && { region: settings.region }),
    ...(settings.endpoint !== undefined && {
      endpoint: settings.endpoint,
      region: settings.region ?? 'local',
      credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    }),
  });
}
