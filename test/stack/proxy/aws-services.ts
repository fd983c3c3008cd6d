import { randomUUID } from 'node:crypto';
import type { AwsAnswer, AwsCall, AwsService } from './aws-service.ts';
import { jsonOf, operationOf } from './aws-service.ts';
import { dynamoAccesses } from './dynamo-accesses.ts';
import { eventAccesses, type PutEvent, putEvents } from './event-accesses.ts';
import { listAccess, s3Accesses } from './s3-accesses.ts';
import { schedulerAccesses } from './scheduler-accesses.ts';
import { queueAccess, queueNameOf } from './sqs-accesses.ts';

export const SERVICE_NAMES = ['DYNAMODB', 'SQS', 'S3', 'SCHEDULER', 'EVENTBRIDGE'] as const;
/** As in AWS_ENDPOINT_URL_…. */
export type ServiceName = (typeof SERVICE_NAMES)[number];

export interface ServiceParts {
  /** Where the stand-in has a queue, by its name. */
  readonly queueUrl: (name: string) => string;
  readonly onEvent: (event: PutEvent) => void;
}

export function awsServices({ queueUrl, onEvent }: ServiceParts): Readonly<Record<ServiceName, AwsService>> {
  return {
    DYNAMODB: {
      accesses: (call) => dynamoAccesses(operationOf(call), jsonOf(call)),
      refusal: (message) => json(400, { __type: 'com.amazon.coral.service#AccessDeniedException', message }),
    },
    SQS: {
      accesses: (call) => [queueAccess(operationOf(call), queueOf(call))],
      refusal: (message) => ({
        ...json(403, { __type: 'com.amazonaws.sqs#AccessDenied', message }),
        headers: { 'content-type': 'application/x-amz-json-1.0', 'x-amzn-query-error': 'AccessDenied;Sender' },
      }),
      rewrite: (call) => Buffer.from(JSON.stringify({ ...jsonOf(call), QueueUrl: queueUrl(queueOf(call)) })),
    },
    S3: {
      accesses: ({ method, target, body }) => s3Accesses(method, target, body.toString('utf8')),
      refusal: s3Refusal,
      // What is missing is forbidden to those who may not list.
      afterwards: ({ method, target }, status) =>
        method === 'GET' && status === 404 ? { needs: listAccess(target.split('/')[1] ?? '', '') } : null,
    },
    SCHEDULER: {
      accesses: ({ method, target, body }) => schedulerAccesses(method, target, body.toString('utf8')),
      refusal: (message) => ({
        ...json(403, { Message: message }),
        headers: { 'content-type': 'application/json', 'x-amzn-errortype': 'AccessDeniedException' },
      }),
    },
    EVENTBRIDGE: {
      accesses: (call) => eventAccesses(jsonOf(call)),
      refusal: (message) => json(400, { __type: 'AccessDeniedException', message }),
      answer(call) {
        const events = putEvents(jsonOf(call));
        for (const event of events) onEvent(event);
        return json(200, { FailedEntryCount: 0, Entries: events.map(() => ({ EventId: randomUUID() })) });
      },
    },
  };
}

const json = (status: number, body: object): AwsAnswer => ({
  status,
  headers: { 'content-type': 'application/x-amz-json-1.0' },
  body: JSON.stringify(body),
});

const s3Refusal = (message: string): AwsAnswer => ({
  status: 403,
  headers: { 'content-type': 'application/xml' },
  body: `<?xml version="1.0" encoding="UTF-8"?><Error><Code>AccessDenied</Code><Message>${message}</Message></Error>`,
});

const queueOf = (call: AwsCall): string => queueNameOf(String(jsonOf(call)['QueueUrl']));
