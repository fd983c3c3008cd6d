import { type SendMessageBatchCommandOutput, SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createSqsClient } from '../../shared/aws/sqs-client.ts';
import { SqsQueue } from '../../shared/aws/sqs-queue.ts';
import { deadLetterQueue } from '../../shared/ports/queue.ts';
import { SystemClock } from '../../shared/system/system-clock.ts';
import { SystemIds } from '../../shared/system/system-ids.ts';
import { type Fauxqs, startFauxqs } from '../helpers/fauxqs.ts';
import { jump, startMovingTime, stopMovingTime } from '../helpers/moving-time.ts';
import { restless } from '../helpers/restless-clock.ts';

let fauxqs: Fauxqs;
let urls: Map<string, string>;
let client: SQSClient;
let queue: SqsQueue;

beforeAll(async () => {
  startMovingTime();
  fauxqs = await startFauxqs();
});
afterAll(async () => {
  await fauxqs.stop();
  stopMovingTime();
});
beforeEach(async () => {
  urls = await fauxqs.createQueues(['orders'], 3);
  client = createSqsClient({ endpoint: fauxqs.endpoint });
  queue = new SqsQueue({ client, urls, clock: restless(new SystemClock()), ids: new SystemIds() });
});

const message = (body: string, kind = 'order', group = 'shop') => ({ body, group, kind });
const RECEIVE = { max: 10, waitMs: 0, visibilityMs: 30_000 };
const receive = async (options: object = {}, from = 'orders') =>
  (await queue.receive(from, { ...RECEIVE, ...options })).map(({ body }) => body).sort();

type Handler = (args: { readonly input: object }) => Promise<{ output: object }>;

/** Sees every call by name, and may answer in place of the service. */
function intercept(change: (name: string, input: object, next: () => Promise<object>) => Promise<object>): void {
  client.middlewareStack.add(
    ((next: Handler, context: { readonly commandName?: string }) => async (args: { readonly input: object }) => {
      const name = (context.commandName ?? '').replace(/Command$/, '');
      return { output: await change(name, args.input, async () => (await next(args)).output), response: {} };
    }) as never,
    { step: 'initialize' },
  );
}

const failing = (name: string, status = 400): Error =>
  Object.assign(new Error(name), { name, $metadata: { httpStatusCode: status, attempts: 1 } });

describe('what the service refuses', () => {
  it('is sent again, and only that', async () => {
    const batches: string[][] = [];
    intercept(async (name, input, next) => {
      const { Entries = [] } = input as { Entries?: { Id: string; MessageBody: string }[] };
      if (name !== 'SendMessageBatch') return next();
      batches.push(Entries.map(({ MessageBody }) => MessageBody));
      if (batches.length > 1) return next();
      const refused = Entries.splice(1, 1);
      const answer = (await next()) as SendMessageBatchCommandOutput;
      const Failed = refused.map(({ Id }) => ({ Id, SenderFault: false, Code: 'InternalError' }));
      return { ...answer, Failed };
    });
    await queue.send('orders', [message('a'), message('b'), message('c')]);
    expect(batches).toEqual([['a', 'b', 'c'], ['b']]);
    expect(await receive()).toEqual(['a', 'b', 'c']);
  });

  it('for good is the sender’s fault', async () => {
    intercept(async () => ({
      Failed: [{ Id: '0', SenderFault: true, Code: 'InvalidMessageContents', Message: 'no' }],
    }));
    await expect(queue.send('orders', [message('a')])).rejects.toMatchObject({ failure: 'invalid' });
  });

  it.each([
    [failing('RequestThrottled', 403), 'unavailable'],
    [failing('QueueDoesNotExist'), 'unavailable'],
    [failing('InternalFailure', 500), 'unknown'],
    [Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }), 'unavailable'],
    [Object.assign(new Error('reset'), { code: 'ECONNRESET' }), 'unknown'],
  ])('is told apart: %s', async (error, failure) => {
    intercept(() => Promise.reject(error));
    await expect(queue.send('orders', [message('a')])).rejects.toMatchObject({ name: 'PortError', failure });
    await expect(queue.depth('orders')).rejects.toMatchObject({ name: 'PortError', failure });
  });

  it('once is tried again', async () => {
    let calls = 0;
    intercept((_name, _input, next) => {
      calls += 1;
      return calls === 1 ? Promise.reject(failing('RequestThrottled', 403)) : next();
    });
    await queue.send('orders', [message('a')]);
    expect(await receive()).toEqual(['a']);
  });

  it.each([
    ['an empty body', message('')],
    ['a control character', message('a\u0000')],
    ['a lone surrogate', message('a\ud800')],
    ['an empty kind', message('a', '')],
    ['a group with a blank', message('a', 'order', 'a b')],
  ])('is refused here first: %s', async (_what, bad) => {
    intercept(() => Promise.reject(new Error('nothing is to be sent')));
    await expect(queue.send('orders', [message('good'), bad])).rejects.toMatchObject({ failure: 'invalid' });
  });

  it('of a queue that the stack does not have', async () => {
    expect(await queue.declared()).toEqual(['orders']);
    await expect(queue.send('others', [message('a')])).rejects.toMatchObject({ failure: 'invalid' });
    await expect(queue.receive('others', RECEIVE)).rejects.toMatchObject({ failure: 'invalid' });
  });
});

describe('a batch', () => {
  it('has no more than ten messages and one MiB', async () => {
    const sizes: number[] = [];
    intercept((name, input, next) => {
      if (name === 'SendMessageBatch') sizes.push((input as { Entries: object[] }).Entries.length);
      return next();
    });
    const large = 'x'.repeat(400 * 1024);
    await queue.send('orders', [...Array.from({ length: 12 }, () => message('s')), ...Array(3).fill(message(large))]);
    expect(sizes).toEqual([10, 4, 1]);
  });

  it('carries the group for fairness and whole seconds of delay', async () => {
    const sent: object[] = [];
    intercept((_name, input, next) => {
      sent.push(...(input as { Entries: object[] }).Entries);
      return next();
    });
    await queue.send('orders', [{ ...message('a'), delayMs: 1_200 }, message('b')]);
    expect(sent).toMatchObject([{ MessageGroupId: 'shop', DelaySeconds: 2 }, { MessageGroupId: 'shop' }]);
    expect(sent[1]).not.toHaveProperty('DelaySeconds');
  });
});

describe('a poller among messages for others', () => {
  it('finds its own behind many of theirs', async () => {
    const theirs = Array.from({ length: 35 }, (_, n) => message(`theirs ${n}`, 'other'));
    await queue.send('orders', [...theirs, message('mine')]);
    expect(await receive({ kinds: ['order'], max: 1, waitMs: 5_000 })).toEqual(['mine']);
    await jump(2_000);
    expect(await receive({ kinds: ['other'], max: 100 })).toHaveLength(35);
  });

  it('makes no dead letters of them, however often it gets them', async () => {
    await queue.send('orders', [message('theirs', 'other')]);
    for (let times = 0; times < 8; times++) {
      expect(await receive({ kinds: ['order'] })).toEqual([]);
      await jump(31_000);
    }
    expect(await queue.depth(deadLetterQueue('orders'))).toMatchObject({ ready: 0 });
    const [delivery] = await queue.receive('orders', { ...RECEIVE, kinds: ['other'] });
    expect(delivery).toMatchObject({ body: 'theirs', group: 'shop', receiveCount: 1 });
  });

  it('keeps them away for longer each time, but never for long', async () => {
    const delays: (number | undefined)[] = [];
    intercept((name, input, next) => {
      if (name === 'SendMessageBatch')
        delays.push((input as { Entries: [{ DelaySeconds?: number }] }).Entries[0].DelaySeconds);
      return next();
    });
    await queue.send('orders', [message('theirs', 'other')]);
    for (let times = 0; times < 7; times++) {
      await receive({ kinds: ['order'] });
      await jump(31_000);
    }
    expect(delays).toEqual([undefined, 1, 2, 4, 8, 16, 30, 30]);
  });

  it('keeps the time they were sent first, and drops them after an hour', async () => {
    await queue.send('orders', [message('theirs', 'other')]);
    const sentAt = Date.now();
    await receive({ kinds: ['order'] });
    await jump(1_800_000);
    const [delivery] = await queue.receive('orders', { ...RECEIVE, kinds: ['other'], visibilityMs: 1_000 });
    expect(Math.abs((delivery?.sentAt ?? 0) - sentAt)).toBeLessThan(60_000);
    await jump(1_801_000);
    expect(await receive({ kinds: ['order'] })).toEqual([]);
    await jump(60_000);
    expect(await queue.depth('orders')).toMatchObject({ ready: 0, delayed: 0, inFlight: 0 });
  });

  it('gives back at once what is its own beyond its wish', async () => {
    await queue.send('orders', [message('theirs', 'other'), message('one'), message('two'), message('three')]);
    const [first] = await queue.receive('orders', { ...RECEIVE, kinds: ['order'], max: 1, waitMs: 5_000 });
    expect(first?.body).toBe('one');
    expect(await receive({ kinds: ['order'] })).toEqual(['three', 'two']);
  });

  it('leaves what it cannot send on to come again by itself', async () => {
    intercept((name, _input, next) =>
      name === 'SendMessageBatch' ? Promise.reject(failing('QueueDoesNotExist')) : next(),
    );
    const outside = new SqsQueue({
      client: fauxqs.sqs,
      urls,
      clock: restless(new SystemClock()),
      ids: new SystemIds(),
    });
    await outside.send('orders', [message('theirs', 'other'), message('mine')]);
    expect(await receive({ kinds: ['order'], visibilityMs: 1_000 })).toEqual(['mine']);
    await jump(1_000);
    expect(await receive()).toEqual(['mine', 'theirs']);
  });

  it('leaves what was put there by hand to become a dead letter', async () => {
    await fauxqs.sqs.send(new SendMessageCommand({ QueueUrl: urls.get('orders'), MessageBody: 'nonsense' }));
    for (let times = 0; times < 4; times++) {
      expect(await receive({ kinds: ['order'], visibilityMs: 1_000 })).toEqual([]);
      await jump(1_000);
    }
    expect(await receive({}, deadLetterQueue('orders'))).toEqual(['nonsense']);
  });
});
