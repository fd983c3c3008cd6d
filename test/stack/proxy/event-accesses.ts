import type { Access } from '../iam/evaluate.ts';
import { ACCOUNT, REGION } from '../template/physical-resource.ts';

/** One that was put on a bus of EventBridge. */
export interface PutEvent {
  readonly EventBusName?: string;
  readonly Source: string;
  readonly DetailType: string;
  readonly Detail: string;
}

export const putEvents = (body: Readonly<Record<string, unknown>>): readonly PutEvent[] =>
  body['Entries'] as readonly PutEvent[];

export const eventAccesses = (body: Readonly<Record<string, unknown>>): readonly Access[] =>
  putEvents(body).map(({ EventBusName = 'default', Source, DetailType }) => ({
    action: 'events:PutEvents',
    resource: EventBusName.startsWith('arn:')
      ? EventBusName
      : `arn:aws:events:${REGION}:${ACCOUNT}:event-bus/${EventBusName}`,
    conditions: { 'events:source': Source, 'events:detail-type': DetailType },
  }));
