import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { EventBridgeBus } from '../../shared/aws/event-bridge-bus.ts';
import { createEventBridgeClient } from '../../shared/aws/event-bridge-client.ts';
import type { BusEvent } from '../../shared/ports/event-bus.ts';

interface Entry {
  readonly EventBusName: string;
  readonly Source: string;
  readonly DetailType: string;
  readonly Time: number;
  readonly Detail: string;
}

const requests: Entry[][] = [];
/** Of an entry: whether it is refused, as for a throttle. */
let refuses: (entry: Entry) => boolean = () => false;
let server: Server;
let bus: EventBridgeBus;

/** Speaks as much of EventBridge as is spoken to it. */
beforeAll(async () => {
  server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const { Entries } = JSON.parse(Buffer.concat(parts).toString()) as { Entries: Entry[] };
      requests.push(Entries);
      const answers = Entries.map((entry, n) =>
        refuses(entry) ? { ErrorCode: 'ThrottlingException' } : { EventId: `${n}` },
      );
      response.setHeader('content-type', 'application/x-amz-json-1.1');
      response.end(
        JSON.stringify({ FailedEntryCount: answers.filter((each) => 'ErrorCode' in each).length, Entries: answers }),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  bus = new EventBridgeBus({ client: createEventBridgeClient({ endpoint }), bus: 'shop', source: 'kagzi.dev' });
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  requests.length = 0;
  refuses = () => false;
});

const event = (n: number): BusEvent => ({ type: 'Run Ended', at: 1_000 * n, detail: { n } });

it('tells the bus what happened, when, and who says so', async () => {
  expect(await bus.publish([event(7)])).toEqual([true]);
  expect(requests).toEqual([
    [{ EventBusName: 'shop', Source: 'kagzi.dev', DetailType: 'Run Ended', Time: 7, Detail: '{"n":7}' }],
  ]);
});

it('puts ten at a time, and says which of them were refused', async () => {
  refuses = ({ Detail }) => Detail === '{"n":3}' || Detail === '{"n":12}';
  const taken = await bus.publish(Array.from({ length: 23 }, (_, n) => event(n)));
  expect(requests.map(({ length }) => length)).toEqual([10, 10, 3]);
  expect(taken.flatMap((yes, n) => (yes ? [] : [n]))).toEqual([3, 12]);
});

it('asks for nothing when there is nothing to tell', async () => {
  expect(await bus.publish([])).toEqual([]);
  expect(requests).toEqual([]);
});
