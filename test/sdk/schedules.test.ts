import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startHttpServer } from '../../local/http-server.ts';
import { loadSettings } from '../../local/settings.ts';
import { type Client, createClient, createWorker, defineWorkflow } from '../../sdk/index.ts';
import { type ExportedRun, replay } from '../../sdk/testing/index.ts';
import { ApiClient } from '../helpers/api-client.ts';
import { deliverControl, type TestEngine, testEngine } from '../helpers/test-engine.ts';

const report = defineWorkflow({ type: 'report' }, async (_ctx, input: { readonly region: string }) => input.region);
const tidy = defineWorkflow({ type: 'tidy' }, async () => 'done');

let test: TestEngine;
let close: () => Promise<void> = () => Promise.resolve();
beforeEach(async () => {
  test = await testEngine({ inMemory: true });
});
afterEach(async () => {
  await close();
  close = () => Promise.resolve();
  await test.close();
});

const CLIENTS: Readonly<Record<string, () => Promise<Client>>> = {
  embedded: () => Promise.resolve(createClient({ embedded: test.engine, namespace: 'shop' })),
  'over HTTP': async () => {
    const { settings } = loadSettings({ KAGZI_SERVER_PORT: '0' }, () => '');
    const http = await startHttpServer({ settings, handler: new ApiClient(test).handler, clock: test.clock });
    close = () => http.stop(0);
    return createClient({ url: http.url, namespace: 'shop' });
  },
};

describe.each(Object.keys(CLIENTS))('schedules of a client %s', (kind) => {
  const client = (): Promise<Client> => (CLIENTS[kind] as () => Promise<Client>)();

  it('are made for a workflow, looked at, changed and removed', async () => {
    const { schedules, schedule } = await client().then((made) => ({
      schedules: made.schedules,
      schedule: made.schedule.bind(made),
    }));
    const input = { region: 'eu' };
    const nightly = await schedules.create(report, {
      id: 'nightly',
      cron: '0 2 * * *',
      timeZone: 'Europe/Berlin',
      jitter: '5m',
      retry: 5,
      input,
    });
    await schedules.create(tidy, { id: 'tidy', intervals: [{ every: '1h', offset: '5m' }] });
    expect(await nightly.get()).toMatchObject({
      scheduleId: 'nightly',
      status: 'SCHEDULED',
      cron: ['0 2 * * *'],
      jitterMs: 300_000,
      retryPolicy: { kind: 'exponential', maximumAttempts: 5 },
      running: null,
      lastError: null,
      input,
      nextFireAt: new Date('2027-01-16T01:00:00Z'),
    });
    expect(await nightly.next({ count: 1 })).toEqual([new Date('2027-01-16T01:00:00Z')]);
    expect(await schedules.preview({ cron: '0 2 * * *', timeZone: 'Europe/Berlin' }, { count: 1 })).toEqual([
      new Date('2027-01-16T01:00:00Z'),
    ]);
    const changed = await nightly.update({ cron: ['@daily'], note: 'at midnight', jitter: 0, revision: 1 });
    expect(changed).toMatchObject({ revision: 2, note: 'at midnight', timeZone: 'Europe/Berlin' });
    await expect(nightly.update({ note: null, revision: 1 })).rejects.toMatchObject({ code: 'SCHEDULE_CHANGED' });
    expect(await nightly.pause({ reason: 'stocktaking' })).toMatchObject({
      status: 'PAUSED',
      pauseReason: 'stocktaking',
      nextFireAt: null,
    });
    expect(await nightly.resume()).toMatchObject({ status: 'SCHEDULED', pauseReason: null });
    const ids: string[] = [];
    for await (const one of schedules.list()) ids.push(one.scheduleId);
    expect(ids.sort()).toEqual(['nightly', 'tidy']);
    await schedule('tidy').delete();
    await expect(schedule('tidy').get()).rejects.toMatchObject({ code: 'SCHEDULE_NOT_FOUND', status: 404 });
  });

  it('fire, are triggered and backfilled, and tell of it', async () => {
    const made = await client();
    const hourly = await made.schedules.create(tidy, { id: 'hourly', cron: '@hourly', overlap: 'skip' });
    await test.clock.advance(3_600_000);
    await deliverControl(test.engine);
    expect(await hourly.trigger()).toMatchObject({ outcome: 'skipped', runId: null });
    expect(await hourly.trigger({ overlap: 'allow_all' })).toMatchObject({ outcome: 'started' });
    const range = { from: new Date('2027-01-15T05:00:00Z'), to: new Date('2027-01-15T06:00:00Z') };
    expect(await hourly.backfill({ ...range, overlap: 'allow_all' })).toBe(2);
    await deliverControl(test.engine);
    const history: string[] = [];
    for await (const one of hourly.history()) history.push(one.what === 'fire' ? one.kind : one.reason);
    expect(history.sort()).toEqual(['backfill', 'backfill', 'cron', 'overlap', 'trigger']);
    const runs: (string | null)[] = [];
    for await (const run of made.list({ scheduleId: 'hourly' })) runs.push(run.scheduleId);
    expect(runs).toHaveLength(4);
    expect(await hourly.get()).toMatchObject({ fired: 4, skipped: { overlap: 1, catchup: 0 } });
  });

  it('refuse what is wrong before anything is sent, or with the reason of the engine', async () => {
    const made = await client();
    const { schedules } = made;
    await expect(schedules.create(tidy, { cron: '@daily', overlap: 'never' as 'skip' })).rejects.toThrow('is none of');
    await expect(schedules.create(tidy, { corn: '@daily' } as object)).rejects.toThrow('there is no option "corn"');
    await expect(schedules.create(tidy, { cron: 5 as never })).rejects.toThrow('cron: 5 is no text');
    const half = { from: new Date(0) } as { from: Date; to: Date };
    await expect(made.schedule('x').backfill(half)).rejects.toThrow('backfill: to is missing');
    await expect(schedules.create(tidy, { id: 'a:b', cron: '@daily' })).rejects.toThrow('is no schedule id');
    await expect(schedules.preview({ cron: '60 * * * *' })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
    await expect(schedules.create(tidy, { cron: '0 0 30 2 *' })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: expect.stringContaining('never fires') as string,
    });
  });
});

it('a run knows which schedule started it and for what time, also when it is replayed', async () => {
  const told = defineWorkflow({ type: 'told' }, async (ctx) => {
    await ctx.step(`for ${String(ctx.run.scheduleId)} at ${String(ctx.run.fireAt?.toISOString())}`, () => null);
  });
  const client = createClient({ embedded: test.engine, namespace: 'shop' });
  await client.schedules.create(told, { id: 'hourly', cron: '@hourly' });
  await test.clock.advance(3_600_000);
  await deliverControl(test.engine);
  const worker = createWorker({ workflows: [told], namespace: 'shop', log: () => undefined }).embedded(test.engine);
  try {
    for await (const { runId } of client.list({ scheduleId: 'hourly' })) {
      await client.run(runId).result();
      const exported = await client.run(runId).export();
      expect(exported.steps.map(({ step_id }) => step_id)).toEqual(['for hourly at 2027-01-15T09:00:00.000Z']);
      expect(await replay(exported as ExportedRun, told)).toMatchObject({ ended: 'completed', steps: 1 });
      return;
    }
    throw new Error('there is no run');
  } finally {
    await worker.stop(0);
  }
});
