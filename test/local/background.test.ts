import { rmSync } from 'node:fs';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { startBackground } from '../../local/background.ts';
import { type EmbeddedEngine, openEmbeddedEngine } from '../../local/embedded-engine.ts';
import type { Repeated } from '../../local/repeat.ts';
import { CONTROL_QUEUE } from '../../shared/ports/queue.ts';
import { DEFAULT_CONFIG } from '../../shared/store/engine.ts';
import { claimRun } from '../../shared/usecases/claim-run.ts';
import { getRun } from '../../shared/usecases/get-run.ts';
import { listDeadLetters } from '../../shared/usecases/list-dead-letters.ts';
import { startRun } from '../../shared/usecases/start-run.ts';
import { temporaryDirectory } from '../helpers/embedded-store.ts';
import { RecordedTelemetry } from '../helpers/test-engine.ts';

let directory: string;
let embedded: EmbeddedEngine;
let background: Repeated;
let telemetry: RecordedTelemetry;
beforeEach(() => {
  directory = temporaryDirectory();
  telemetry = new RecordedTelemetry();
  embedded = openEmbeddedEngine(directory, { config: DEFAULT_CONFIG, maxReceives: 2, telemetry });
});
afterEach(async () => {
  await background.stop();
  await embedded.close();
  rmSync(directory, { recursive: true, force: true });
});

const start = async (): Promise<void> => {
  background = await startBackground(embedded, { watchdogIntervalMs: 20 });
};
const until = async (happened: () => Promise<boolean> | boolean): Promise<void> => {
  while (!(await happened())) await new Promise((resolve) => setTimeout(resolve, 10));
};

it('removes what has expired', async () => {
  const key = { pk: 'p', sk: 's' };
  await embedded.table.put({ ...key, ttl: 1 });
  await embedded.table.put({ pk: 'p', sk: 'lives', ttl: 99_999_999_999 });
  await start();
  await until(async () => (await embedded.table.get(key)).item === null);
  expect((await embedded.table.get({ pk: 'p', sk: 'lives' })).item).not.toBeNull();
});

it('takes a message that was delivered too often among the dead letters', async () => {
  const { engine, queue } = embedded;
  const { run } = await startRun(engine, { namespace: 'shop', workflowType: 'order', taskQueue: 'default' });
  for (let receives = 0; receives < 3; receives++) {
    const deliveries = await queue.receive('default', { max: 1, waitMs: 0, visibilityMs: 1000 });
    for (const delivery of deliveries) await queue.release('default', delivery, 0);
  }
  await start();
  const letters = async () => (await listDeadLetters(engine, { namespace: 'shop', pageSize: 10 })).letters;
  await until(async () => (await letters()).length > 0);
  expect(await letters()).toMatchObject([{ queue: 'default', kind: 'order', runId: run.runId }]);
  expect((await getRun(engine, run)).run.status).toBe('PENDING');
});

it('ticks, and goes on after a message that it cannot read', async () => {
  const bad = { body: 'no JSON', group: 'shop', kind: 'timer' };
  await embedded.queue.send(CONTROL_QUEUE, [bad]);
  await start();
  await until(() => telemetry.lines.some(({ message }) => message.startsWith('a control message failed')));
  const ticks = telemetry.counts.get('watchdog_ticks') ?? 0;
  await until(() => (telemetry.counts.get('watchdog_ticks') ?? 0) > ticks + 2);
});

it('gives back the runs of an in-process worker that died with the process before, and of no other', async () => {
  const { engine } = embedded;
  const claimed = async (owner: string, session: string | null) => {
    const { run } = await startRun(engine, { namespace: 'shop', workflowType: 'order', taskQueue: 'default' });
    await claimRun(engine, run, { owner, session });
    return run;
  };
  const [dead, lambda, polled] = [
    await claimed('embedded:1', null),
    await claimed('lambda:1', null),
    await claimed('embedded:2', 'some-session'),
  ];
  await start();
  expect((await getRun(engine, dead)).run).toMatchObject({ status: 'PENDING', stalls: 0 });
  expect((await getRun(engine, lambda)).run.status).toBe('RUNNING');
  expect((await getRun(engine, polled)).run.status).toBe('RUNNING');
});
