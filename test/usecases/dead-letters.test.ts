import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CONTROL_QUEUE, deadLetterQueue, ENGINE_GROUP } from '../../shared/ports/queue.ts';
import { handleControl } from '../../shared/usecases/handle-control.ts';
import { listDeadLetters } from '../../shared/usecases/list-dead-letters.ts';
import { recordDeadLetter } from '../../shared/usecases/record-dead-letter.ts';
import { redriveDeadLetter } from '../../shared/usecases/redrive-dead-letter.ts';
import { dumpStore } from '../helpers/dump-store.ts';
import { type TestEngine, testEngine } from '../helpers/test-engine.ts';
import { headOf, start, take, takeOrNone } from '../helpers/worker-driver.ts';

let test: TestEngine;
beforeEach(async () => {
  test = await testEngine();
});
afterEach(() => test.close());

const RECEIVE = { max: 10, waitMs: 0, visibilityMs: 0 };

/** Delivers everything in the queue so often that it is given up, and records what was. */
async function bury(queue = 'default'): Promise<void> {
  for (let times = 0; times < 6; times++) await test.queue.receive(queue, RECEIVE);
  const dead = await test.queue.receive(deadLetterQueue(queue), { ...RECEIVE, visibilityMs: 30_000 });
  for (const delivery of dead) await recordDeadLetter(test.engine, queue, delivery);
  await test.queue.ack(deadLetterQueue(queue), dead);
}

const list = async (namespace = 'shop') => (await listDeadLetters(test.engine, { namespace, pageSize: 10 })).letters;

describe('a message that is delivered too often', () => {
  it('is recorded with what it was about, and its run is not harmed', async () => {
    const run = await start(test);
    await bury();
    expect(await list()).toMatchObject([
      { namespace: 'shop', queue: 'default', kind: 'order', runId: run.runId, diedAt: test.clock.now() },
    ]);
    expect(await list('bank')).toEqual([]);
    expect(test.telemetry.counts.get('dead_letters')).toBe(1);
    expect(await test.queue.depth(deadLetterQueue('default'))).toMatchObject({ ready: 0, inFlight: 0 });
    await test.passes(30_000);
    expect((await take(test)).run.runId).toBe(run.runId);
  });

  it('is recorded once, however often it is recorded', async () => {
    await start(test);
    for (let times = 0; times < 6; times++) await test.queue.receive('default', RECEIVE);
    const [delivery] = await test.queue.receive(deadLetterQueue('default'), RECEIVE);
    if (delivery === undefined) throw new Error('there is no dead letter');
    await recordDeadLetter(test.engine, 'default', delivery);
    await recordDeadLetter(test.engine, 'default', delivery);
    expect(await list()).toHaveLength(1);
  });

  it('can be sent again, and is no dead letter any more', async () => {
    const run = await start(test);
    await bury();
    const [letter] = await list();
    expect(await takeOrNone(test)).toBeNull();
    await redriveDeadLetter(test.engine, 'shop', letter?.id ?? '');
    expect((await take(test)).run.runId).toBe(run.runId);
    expect(await list()).toEqual([]);
    const again = redriveDeadLetter(test.engine, 'shop', letter?.id ?? '');
    await expect(again).rejects.toMatchObject({ code: 'DEAD_LETTER_NOT_FOUND' });
  });

  it('of another namespace cannot be sent again', async () => {
    await start(test);
    await bury();
    const [letter] = await list();
    const before = await dumpStore(test);
    const call = redriveDeadLetter(test.engine, 'bank', letter?.id ?? '');
    await expect(call).rejects.toMatchObject({ code: 'DEAD_LETTER_NOT_FOUND' });
    expect(await dumpStore(test)).toEqual(before);
  });

  it('is listed oldest first, page by page', async () => {
    for (let n = 0; n < 5; n++) {
      await start(test);
      await test.clock.advance(10);
    }
    await bury();
    const first = await listDeadLetters(test.engine, { namespace: 'shop', pageSize: 3 });
    const pageToken = first.nextPageToken ?? '';
    const second = await listDeadLetters(test.engine, { namespace: 'shop', pageSize: 3, pageToken });
    const sent = [...first.letters, ...second.letters].map((letter) => letter.sentAt);
    expect(sent).toHaveLength(5);
    expect(sent).toEqual([...sent].sort((a, b) => a - b));
    const elsewhere = listDeadLetters(test.engine, { namespace: 'bank', pageSize: 3, pageToken });
    await expect(elsewhere).rejects.toMatchObject({ code: 'INVALID_PAGE_TOKEN' });
  });
});

describe('a message that nobody can read', () => {
  it('is no obstacle for the others in a task queue, and ends among the dead letters', async () => {
    await test.queue.send('default', [{ body: 'nonsense', group: 'shop', kind: 'order' }]);
    const run = await start(test);
    expect((await take(test)).run.runId).toBe(run.runId);
    await bury();
    expect(await list()).toMatchObject([{ body: 'nonsense', runId: null }]);
  });

  it('is refused as a control message, and recorded for the engine', async () => {
    await expect(handleControl(test.engine, 'nonsense')).rejects.toBeInstanceOf(SyntaxError);
    await expect(handleControl(test.engine, '{"new":{}}')).rejects.toBeInstanceOf(TypeError);
    await test.queue.send(CONTROL_QUEUE, [{ body: 'nonsense', group: ENGINE_GROUP, kind: 'x' }]);
    await bury(CONTROL_QUEUE);
    expect(await list(ENGINE_GROUP)).toMatchObject([{ body: 'nonsense', queue: CONTROL_QUEUE }]);
  });
});

describe('a wake-up', () => {
  it('sends the run it is meant for, and nothing for one that has moved on', async () => {
    const run = await start(test);
    const { namespace, runId, incarnation } = run;
    const wake = (more: object) =>
      handleControl(test.engine, JSON.stringify({ wake: { namespace, runId, incarnation, ...more } }));
    const before = await dumpStore(test);
    await wake({ incarnation: 'AAAAAAAAAA' });
    await wake({ namespace: 'bank' });
    expect(await dumpStore(test)).toEqual(before);
    await wake({});
    expect(await test.queue.depth('default')).toMatchObject({ ready: 2 });
    await take(test);
    const held = await dumpStore(test);
    await wake({});
    expect(await dumpStore(test)).toEqual(held);
    expect(await headOf(test, run)).toMatchObject({ status: 'RUNNING' });
  });
});
