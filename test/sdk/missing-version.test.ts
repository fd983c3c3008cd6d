import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { defineWorkflow } from '../../sdk/define-workflow.ts';
import { createWorker } from '../../sdk/worker/create-worker.ts';
import type { RunId } from '../../shared/model/run.ts';
import type { Queue } from '../../shared/ports/queue.ts';
import { pollTask } from '../../shared/usecases/poll-task.ts';
import { watchdogTick } from '../../shared/usecases/watchdog-tick.ts';
import { countRows } from '../helpers/dump-store.ts';
import { queueWith } from '../helpers/faulty-parts.ts';
import { type TestEngine, testEngine } from '../helpers/test-engine.ts';
import { register } from '../helpers/worker-driver.ts';
import { WorkflowDriver } from '../helpers/workflow-driver.ts';

const SECOND = 1_000;
const HOUR = 3_600_000;
/** The design's limit for an hour in the queue with nobody to serve it. */
const MAX_WRITE_UNITS = 24;
/** What the watchdog sends and what is passed on in between. */
const MAX_SENDS = 100;

const one = defineWorkflow({ type: 'flow', version: '1' }, async () => 'one');
const two = defineWorkflow({ type: 'flow', version: '2' }, async () => 'two');

let test: TestEngine;
let driver: WorkflowDriver;
let sends = 0;
beforeEach(async () => {
  const counted = (queue: Queue): Queue =>
    queueWith(queue, {
      async send(name, messages) {
        sends += messages.length;
        await queue.send(name, messages);
      },
    });
  test = await testEngine({ wrap: (parts) => ({ ...parts, queue: counted(parts.queue) }) });
  driver = new WorkflowDriver(test);
});
afterEach(async () => {
  await driver.stop();
  await test.close();
});

type Turn = () => Promise<unknown>;

async function elapse(ms: number, turn: Turn, stepMs = 5 * SECOND): Promise<void> {
  for (let left = ms; left > 0; left -= stepMs) {
    await turn();
    await test.clock.advance(Math.min(left, stepMs));
    await watchdogTick(test.engine);
  }
}

const inProcess = (): Turn => {
  driver.serve(two);
  return () => Promise.resolve();
};

const inLambda = (): Turn => {
  const handler = createWorker({ workflows: [two], log: () => undefined }).lambda({ engine: () => test.engine });
  return async () => {
    const deliveries = await test.queue.receive('default', { max: 10, waitMs: 0, visibilityMs: SECOND });
    await test.queue.ack('default', deliveries);
    const Records = deliveries.map(({ id, body }) => ({ messageId: id, body }));
    await handler({ Records }, { getRemainingTimeInMillis: () => 60_000 });
  };
};

/** How many seconds it takes until a worker that has appeared with the version has ended the run. */
async function secondsUntilServed(run: RunId): Promise<number> {
  await driver.stop();
  driver.serve(one);
  for (let seconds = 0; seconds < 600; seconds++) {
    if ((await driver.get(run)).run.status === 'COMPLETED') return seconds;
    await test.passes(SECOND);
  }
  throw new Error('nobody served it');
}

describe.each([
  ['in process', inProcess],
  ['in Lambda', inLambda],
])('a run whose version the workers %s lack', (_where, serve) => {
  it('costs no more than one that nobody serves, and its messages do not multiply', async () => {
    const turn = serve();
    await driver.start(one, undefined);
    const figures: { writeUnits: number; sends: number; messages: number }[] = [];
    for (let hour = 0; hour < 2; hour++) {
      const before = { writeUnits: test.table.snapshot().writeUnits, sends };
      await elapse(HOUR, turn);
      figures.push({
        writeUnits: test.table.snapshot().writeUnits - before.writeUnits,
        sends: sends - before.sends,
        messages: countRows(test, 'messages'),
      });
    }
    for (const hour of figures) {
      expect(hour.writeUnits).toBeLessThanOrEqual(MAX_WRITE_UNITS);
      expect(hour.sends).toBeLessThanOrEqual(MAX_SENDS);
      expect(hour.messages).toBeLessThanOrEqual(2);
    }
  });

  it.each([
    ['a second', SECOND, 2],
    ['half a minute', 30 * SECOND, 16],
    ['five minutes', 300 * SECOND, 61],
    ['an hour', HOUR, 226],
  ])('is served soon after one with it has appeared, %s later', async (_when, ms, within) => {
    const turn = serve();
    const run = await driver.start(one, undefined);
    await elapse(ms, turn);
    expect(await secondsUntilServed(run)).toBeLessThanOrEqual(within);
  });
});

it('a poll that names its versions is not given another, and costs no claim', async () => {
  const { workerId } = await register(test, { workflowTypes: ['flow'] });
  const versions = new Map([['flow', ['2']]]);
  const request = { namespace: 'shop', taskQueue: 'default', workerId, versions, timeoutMs: 0 };
  const run = await driver.start(one, undefined);
  const before = test.table.snapshot().writeUnits;
  await elapse(20 * SECOND, async () => expect(await pollTask(test.engine, request)).toBeNull(), SECOND);
  expect((await driver.get(run)).run).toMatchObject({ status: 'PENDING', epoch: 0 });
  expect(test.table.snapshot().writeUnits).toBe(before);
  expect(await secondsUntilServed(run)).toBeLessThanOrEqual(8);
});

it('versions that stand side by side are served by workers side by side', async () => {
  const other = createWorker({ workflows: [one], namespace: 'shop', log: () => undefined }).embedded(test.engine);
  driver.serve(two);
  const runs = await Promise.all([one, two, one, two, one, two].map((flow) => driver.start(flow, undefined)));
  await test.passes(20 * SECOND);
  const outputs = await Promise.all(runs.map(async (run) => (await driver.get(run)).output));
  expect(outputs).toEqual(['"one"', '"two"', '"one"', '"two"', '"one"', '"two"']);
  const stopped = other.stop(0);
  await test.clock.advance(1);
  await stopped;
});
