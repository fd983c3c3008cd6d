import { createServer, type Server } from 'node:http';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { gate } from '../helpers/poll-world.ts';
import { CUTS, type Cut, CuttingProxy } from './cutting-proxy.ts';

const ANSWER = 'an answer that is long enough to be cut in two';

let engine: Server;
let proxy: CuttingProxy;
let done: string[];
let next: Cut | null;
let made: Cut[];
let answering: Promise<void>;

beforeEach(async () => {
  [done, next, made, answering] = [[], null, [], Promise.resolve()];
  engine = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => {
      body += chunk.toString();
    });
    request.on('end', () => {
      done.push(`${request.method} ${request.url} ${body.length}`);
      void answering.then(() => response.end(ANSWER));
    });
  });
  await new Promise<void>((resolve) => engine.listen(0, '127.0.0.1', resolve));
  proxy = await CuttingProxy.listen({ decide: () => next, onCut: (cut) => made.push(cut) });
  const { port } = engine.address() as { readonly port: number };
  proxy.upstream = `http://127.0.0.1:${port}`;
});
afterEach(async () => {
  await proxy.close();
  engine.closeAllConnections();
  await new Promise((resolve) => engine.close(resolve));
});

const post = async (path: string, body: string): Promise<string> =>
  (await fetch(`${proxy.url}${path}`, { method: 'POST', body })).text();
const arrived = async (count: number): Promise<void> => {
  while (done.length < count) await new Promise((resolve) => setTimeout(resolve, 5));
};

it('hands on what it is not told to cut', async () => {
  expect(await post('/a', 'x'.repeat(300_000))).toBe(ANSWER);
  expect(await post('/b', '')).toBe(ANSWER);
  expect(done).toEqual(['POST /a 300000', 'POST /b 0']);
  expect({ made, writing: proxy.writing }).toEqual({ made: [], writing: 0 });
});

it.each(CUTS)('cuts %s, which the engine has got as a whole', async (cut) => {
  next = cut;
  await expect(post('/a', 'x'.repeat(100_000))).rejects.toThrow(/fetch failed|terminated/);
  await arrived(1);
  expect(done).toEqual(['POST /a 100000']);
  expect({ made, writing: proxy.writing }).toEqual({ made: [cut], writing: 0 });
  next = null;
  expect(await post('/b', 'x')).toBe(ANSWER);
});

it('tells of a write while it is under way, and not of a poll', async () => {
  const engineAnswers = gate();
  answering = engineAnswers.opened;
  const seen: number[] = [];
  const told = proxy.nextWrite().then(() => seen.push(proxy.writing));
  const polled = post('/queues/q/poll', '{}');
  await arrived(1);
  expect(seen).toEqual([]);
  const started = post('/runs', '{}');
  await told;
  expect(seen).toEqual([1]);
  engineAnswers.open();
  await Promise.all([polled, started]);
  expect(proxy.writing).toBe(0);
});

it('hangs up while there is no engine', async () => {
  proxy.upstream = null;
  await expect(post('/a', 'x')).rejects.toThrow(/fetch failed|terminated/);
  expect(done).toEqual([]);
});
