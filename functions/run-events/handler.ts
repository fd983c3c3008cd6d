import type { DynamoDBBatchResponse, DynamoDBStreamEvent } from 'aws-lambda';
import { EventBridgeBus } from '../../shared/aws/event-bridge-bus.ts';
import { createEventBridgeClient } from '../../shared/aws/event-bridge-client.ts';
import { fromStreamRecord } from '../../shared/aws/stream-record.ts';
import { announceEnds } from '../../shared/usecases/announce-ends.ts';
import { eventSourceOf } from '../event-source.ts';
import { LambdaTelemetry } from '../lambda-telemetry.ts';
import { readEnvironment } from '../read-environment.ts';
import { readEventBus } from './read-event-bus.ts';

const environment = readEnvironment(process.env);
const telemetry = LambdaTelemetry.of({ environment: environment.name, logLevel: environment.logLevel });
const bus = new EventBridgeBus({
  client: createEventBridgeClient(),
  bus: readEventBus(process.env),
  source: eventSourceOf(environment.name),
});

/** On the stream of the table, of which it gets the ends of runs: each is an event on the bus. */
export const handler = async ({ Records }: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse> => {
  const changes = Records.flatMap((record) => fromStreamRecord(record) ?? []);
  const left = await announceEnds(bus, telemetry, changes);
  return { batchItemFailures: left.map((itemIdentifier) => ({ itemIdentifier })) };
};
