import { fromRecord } from '../../shared/aws/sqs-messages.ts';
import { recordDeadLetter } from '../../shared/usecases/record-dead-letter.ts';
import { batchHandler } from '../batch-handler.ts';
import { composeEngine } from '../compose-engine.ts';
import { queueOfDeadLetters } from '../read-environment.ts';

const { engine, telemetry, environment } = composeEngine(process.env);

/** On every dead-letter queue of the stack: what arrives is recorded where people find it and can send it again. */
export const handler = batchHandler(telemetry, (record) =>
  recordDeadLetter(engine, queueOfDeadLetters(environment, record.eventSourceARN), fromRecord(record)),
);
