import { type EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import type { BusEvent, EventBus } from '../ports/event-bus.ts';

/** What one request takes. */
const BATCH = 10;

export interface EventBridgeBusParts {
  readonly client: EventBridgeClient;
  /** Its name or its ARN. */
  readonly bus: string;
  /** Of every event, for the patterns of rules. */
  readonly source: string;
}

/** A bus of EventBridge. */
export class EventBridgeBus implements EventBus {
  constructor(private readonly parts: EventBridgeBusParts) {}

  async publish(events: readonly BusEvent[]): Promise<readonly boolean[]> {
    const taken: boolean[] = [];
    for (let start = 0; start < events.length; start += BATCH) {
      taken.push(...(await this.#put(events.slice(start, start + BATCH))));
    }
    return taken;
  }

  /** A request that is answered may still have refused some of its events, for a throttle for example. */
  async #put(events: readonly BusEvent[]): Promise<readonly boolean[]> {
    const { client, bus, source } = this.parts;
    const answer = await client.send(
      new PutEventsCommand({
        Entries: events.map(({ type, at, detail }) => ({
          EventBusName: bus,
          Source: source,
          DetailType: type,
          Time: new Date(at),
          Detail: JSON.stringify(detail),
        })),
      }),
    );
    return events.map((_event, index) => answer.Entries?.[index]?.EventId !== undefined);
  }
}
