import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readRun } from '../../shared/store/run-head.ts';
import { cancelRun } from '../../shared/usecases/cancel-run.ts';
import { changeSchedule } from '../../shared/usecases/change-schedule.ts';
import { createSchedule } from '../../shared/usecases/create-schedule.ts';
import { deleteRun } from '../../shared/usecases/delete-run.ts';
import { listFires } from '../../shared/usecases/list-fires.ts';
import { listRuns } from '../../shared/usecases/list-runs.ts';
import { startRun } from '../../shared/usecases/start-run.ts';
import { watchdogTick } from '../../shared/usecases/watchdog-tick.ts';
import { config, current, firedRuns, fireTimesOf, HOUR, ID, schedule } from '../helpers/schedule-driver.ts';
import { deliverControl, type TestEngine, testEngine } from '../helpers/test-engine.ts';

/** Time begins at 2027-01-15T08:00:00Z. */
let test: TestEngine;
beforeEach(async () => {
  test = await testEngine({ inMemory: true });
});
afterEach(() => test.close());

/** A minute at a time, with what the messages and the watchdog do in it. */
async function passes(ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 60_000) {
    await test.clock.advance(Math.min(left, 60_000));
    await deliverControl(test.engine);
    await watchdogTick(test.engine);
  }
}

/** Nobody is there to fire. */
const isDown = (ms: number): Promise<void> => test.clock.advance(ms);

describe('a schedule', () => {
  it('starts a run at each of its times, with its id and the time', async () => {
    await schedule(test.engine, {}, { cron: ['*/10 * * * *'] });
    await passes(31 * 60_000);
    const runs = await firedRuns(test.engine);
    expect(runs.map(({ externalId, scheduleId, status }) => ({ externalId, scheduleId, status }))).toEqual(
      ['08:10', '08:20', '08:30'].map((time) => ({
        externalId: `report:2027-01-15T${time}:00Z`,
        scheduleId: 'report',
        status: 'PENDING',
      })),
    );
    for (const run of runs) expect(run.createdAt - (run.fireAt ?? 0)).toBe(0);
    const { nextFireAt, lastFiredAt, fired } = await current(test.engine);
    expect([nextFireAt, lastFiredAt, fired]).toEqual([
      Date.parse('2027-01-15T08:40:00Z'),
      Date.parse('2027-01-15T08:30:00Z'),
      3,
    ]);
    expect(test.telemetry.counts.get('schedules_fired')).toBe(3);
  });

  it('is fired by the watchdog where its messages are lost', async () => {
    await schedule(test.engine);
    for (let second = 0; second <= 3 * 3600; second += 60) {
      await test.clock.advance(60_000);
      await watchdogTick(test.engine);
    }
    expect(await firedRuns(test.engine)).toHaveLength(3);
  });

  it('fires each second, each time once', async () => {
    await schedule(test.engine, {}, { cron: ['* * * * * *'] });
    await test.passes(30_000);
    const times = (await firedRuns(test.engine)).map((run) => run.fireAt);
    expect(new Set(times).size).toBe(times.length);
    expect(times).toHaveLength(30);
  });

  it('fires at the times of all its expressions and intervals, and once where they meet', async () => {
    const spec = { cron: ['0 9 * * *', '30 9 * * *'], intervals: [{ everyMs: HOUR, offsetMs: 0 }] };
    await schedule(test.engine, {}, spec);
    await passes(2 * HOUR);
    expect((await fireTimesOf(test.engine)).map((time) => time.slice(11, 16))).toEqual(['09:00', '09:30', '10:00']);
  });

  it('keeps to its bounds, and has no next time after its end', async () => {
    const at = (time: string): number => Date.parse(`2027-01-15T${time}:00Z`);
    await schedule(test.engine, {}, { startAt: at('10:00'), endAt: at('11:00') });
    await passes(5 * HOUR);
    expect((await fireTimesOf(test.engine)).map((time) => time.slice(11, 16))).toEqual(['10:00', '11:00']);
    expect(await current(test.engine)).toMatchObject({ nextFireAt: null, dueAt: null, status: 'SCHEDULED' });
  });

  it('spreads its fires by its jitter, never before their time nor beyond the next', async () => {
    await schedule(test.engine, {}, { cron: ['* * * * *'], jitterMs: 10 * 60_000 });
    await test.passes(20 * 60_000);
    const lags = (await firedRuns(test.engine)).map((run) => run.createdAt - (run.fireAt ?? 0));
    expect(lags.length).toBeGreaterThanOrEqual(19);
    for (const lag of lags) expect(lag >= 0 && lag < 61_000).toBe(true);
    expect(new Set(lags).size).toBeGreaterThan(10);
  });

  it('stands among no runs, and its runs do', async () => {
    await schedule(test.engine);
    expect((await listRuns(test.engine, { namespace: 'shop', pageSize: 100 })).runs).toEqual([]);
  });

  it('goes on after a fire that cannot be made, and says so', async () => {
    await startRun(test.engine, {
      namespace: 'shop',
      workflowType: 'other',
      taskQueue: 'default',
      externalId: 'report:2027-01-15T09:00:00Z',
    });
    await schedule(test.engine);
    await passes(2 * HOUR);
    expect(await fireTimesOf(test.engine)).toEqual(['2027-01-15T10:00:00.000Z']);
    const { failed, lastError } = await current(test.engine);
    expect([failed, lastError?.message]).toEqual([1, expect.stringContaining('belongs to a run of workflow type')]);
  });
});

describe('after an outage', () => {
  it('makes exactly the newest max_catchup fires, and tells which were skipped', async () => {
    await schedule(test.engine, { maxCatchup: 10 });
    await isDown(24 * HOUR + 60_000);
    await passes(60_000);
    const times = await fireTimesOf(test.engine);
    expect(times).toHaveLength(10);
    expect([times[0], times[9]]).toEqual(['2027-01-15T23:00:00.000Z', '2027-01-16T08:00:00.000Z']);
    const { skipped, lastSkip } = await current(test.engine);
    expect([skipped, lastSkip]).toEqual([
      { catchup: 14, overlap: 0 },
      {
        reason: 'catchup',
        count: 14,
        capped: false,
        from: Date.parse('2027-01-15T09:00:00Z'),
        to: Date.parse('2027-01-15T22:00:00Z'),
        decidedAt: expect.any(Number) as number,
      },
    ]);
    const { fires } = await listFires(test.engine, ID, { pageSize: 100 });
    expect(fires).toHaveLength(11);
    expect(fires.at(-1)).toMatchObject({ what: 'skip', skip: { count: 14, reason: 'catchup' } });
    expect(test.telemetry.counts.get('schedule_fires_skipped')).toBe(14);
  });

  it('makes none of the missed ones with max_catchup 0, and goes on in time', async () => {
    await schedule(test.engine, { maxCatchup: 0 });
    await isDown(5 * HOUR + HOUR / 2);
    await passes(HOUR);
    expect(await fireTimesOf(test.engine)).toEqual(['2027-01-15T14:00:00.000Z']);
    expect((await current(test.engine)).skipped.catchup).toBe(5);
  });

  it('makes only what lies in the catch-up window', async () => {
    await schedule(test.engine, { catchupWindowMs: 3 * HOUR });
    await isDown(24 * HOUR + HOUR / 2);
    await passes(60_000);
    expect((await fireTimesOf(test.engine)).map((time) => time.slice(11, 16))).toEqual(['06:00', '07:00', '08:00']);
  });

  it('starts at most so many runs in a tick, and the rest in the next ones', async () => {
    await test.close();
    test = await testEngine({ inMemory: true, config: { firesPerTick: 150 } });
    await schedule(test.engine, { maxCatchup: 400 }, { cron: ['* * * * *'] });
    await isDown(24 * HOUR);
    const made: number[] = [];
    for (let tick = 0; tick < 4; tick += 1) {
      await watchdogTick(test.engine);
      made.push((await firedRuns(test.engine)).length);
      await test.clock.advance(1_000);
    }
    expect(made).toEqual([150, 300, 400, 400]);
    expect((await current(test.engine)).skipped.catchup).toBe(1040);
  });

  it('starts no more in a tick of many schedules at once', async () => {
    await test.close();
    test = await testEngine({ inMemory: true, config: { firesPerTick: 10 } });
    for (let n = 0; n < 16; n += 1) {
      const every = config({}, { cron: ['* * * * *'] });
      await createSchedule(test.engine, { ...ID, scheduleId: `report-${n}`, config: every, enabled: true });
    }
    await isDown(20 * 60_000);
    for (const made of [10, 20, 30]) {
      await watchdogTick(test.engine);
      expect(test.telemetry.counts.get('schedules_fired')).toBe(made);
      await test.clock.advance(1_000);
    }
  });

  it('loses none of what was missed to new times, though it is more than a tick may start', async () => {
    await test.close();
    test = await testEngine({ inMemory: true, config: { firesPerTick: 10 } });
    await schedule(test.engine, {}, { cron: ['* * * * *'] });
    await isDown(30 * 60_000);
    await changeSchedule(test.engine, ID, { config: { spec: { cron: ['@hourly'] } } });
    expect(await current(test.engine)).toMatchObject({ fired: 30, skipped: { catchup: 0 } });
  });

  it('loses nothing to new times that its jitter held back', async () => {
    await schedule(test.engine, {}, { jitterMs: HOUR / 2 });
    await passes(HOUR + 1_000);
    expect(await fireTimesOf(test.engine)).toEqual([]);
    await changeSchedule(test.engine, ID, { config: { spec: { cron: ['30 * * * *'] } } });
    expect(await fireTimesOf(test.engine)).toEqual(['2027-01-15T09:00:00.000Z']);
  });

  it('does not walk through years of missed seconds', async () => {
    await schedule(test.engine, { maxCatchup: 5 }, { cron: ['* * * * * *'] });
    await isDown(3 * 365 * 24 * HOUR);
    await watchdogTick(test.engine);
    const { lastSkip } = await current(test.engine);
    expect(lastSkip).toMatchObject({ capped: true, count: 100_000 });
    // Fires of the last two minutes are in time.
    expect(await firedRuns(test.engine)).toHaveLength(121);
  });

  it('does not catch up what was missed while it was paused', async () => {
    await schedule(test.engine);
    await changeSchedule(test.engine, ID, { config: {}, enabled: false, pauseReason: 'stocktaking' });
    expect(await current(test.engine)).toMatchObject({ status: 'PAUSED', pauseReason: 'stocktaking', dueAt: null });
    await passes(5 * HOUR);
    await changeSchedule(test.engine, ID, { config: {}, enabled: true });
    await passes(HOUR);
    expect(await fireTimesOf(test.engine)).toEqual(['2027-01-15T14:00:00.000Z']);
    expect(await current(test.engine)).toMatchObject({ pauseReason: null, skipped: { catchup: 0 } });
  });
});

describe('while a run is still open', () => {
  const statuses = async () => (await firedRuns(test.engine)).map(({ status }) => status);
  const endFirstOpen = async (): Promise<void> => {
    const run = (await firedRuns(test.engine)).find(({ status }) => status === 'PENDING');
    if (run !== undefined) await cancelRun(test.engine, run, null);
    await deliverControl(test.engine);
  };

  it('skip leaves fires out until it has ended', async () => {
    await schedule(test.engine, { overlap: 'skip' });
    await passes(3 * HOUR);
    expect(await firedRuns(test.engine)).toHaveLength(1);
    expect((await current(test.engine)).skipped.overlap).toBe(2);
    await endFirstOpen();
    await passes(HOUR);
    expect((await fireTimesOf(test.engine)).map((time) => time.slice(11, 16))).toEqual(['09:00', '12:00']);
  });

  it('buffer_one keeps one, which starts when the run has ended', async () => {
    await schedule(test.engine, { overlap: 'buffer_one' });
    await passes(4 * HOUR);
    expect(await statuses()).toEqual(['PENDING']);
    expect((await current(test.engine)).buffer).toHaveLength(1);
    await endFirstOpen();
    expect((await fireTimesOf(test.engine)).map((time) => time.slice(11, 16))).toEqual(['09:00', '10:00']);
    expect(await statuses()).toEqual(['CANCELLED', 'PENDING']);
    expect((await current(test.engine)).skipped.overlap).toBe(2);
  });

  it('buffer_all keeps all, which start one after the other', async () => {
    await schedule(test.engine, { overlap: 'buffer_all' });
    await passes(4 * HOUR);
    for (let n = 0; n < 3; n += 1) {
      expect((await statuses()).filter((status) => status === 'PENDING')).toHaveLength(1);
      await endFirstOpen();
    }
    expect(await statuses()).toEqual(['CANCELLED', 'CANCELLED', 'CANCELLED', 'PENDING']);
    expect((await current(test.engine)).skipped.overlap).toBe(0);
  });

  it('allow_all starts them side by side', async () => {
    await schedule(test.engine, { overlap: 'allow_all' });
    await passes(3 * HOUR);
    expect(await statuses()).toEqual(['PENDING', 'PENDING', 'PENDING']);
  });

  it('cancel_other cancels it', async () => {
    await schedule(test.engine, { overlap: 'cancel_other' });
    await passes(3 * HOUR);
    expect(await statuses()).toEqual(['CANCELLED', 'CANCELLED', 'PENDING']);
  });

  it('a run that is gone without a word blocks nobody', async () => {
    await schedule(test.engine, { overlap: 'buffer_all' });
    await passes(2 * HOUR);
    const [first] = await firedRuns(test.engine);
    if (first === undefined) throw new Error('there is no run');
    await test.table.delete({ pk: `shop#run#${first.runId}`, sk: 'head' });
    await passes(60_000);
    expect((await fireTimesOf(test.engine)).map((time) => time.slice(11, 16))).toEqual(['10:00']);
  });

  it('cancel_other leaves a run alone that somebody else started under the external id of a fire', async () => {
    const { run } = await startRun(test.engine, {
      namespace: 'shop',
      workflowType: 'other',
      taskQueue: 'default',
      externalId: 'report:2027-01-15T09:00:00Z',
    });
    await schedule(test.engine, { overlap: 'cancel_other' });
    await passes(2 * HOUR);
    expect(await readRun(test.engine, run)).toMatchObject({ status: 'PENDING' });
    expect(await fireTimesOf(test.engine)).toEqual(['2027-01-15T10:00:00.000Z']);
  });

  it('the end is told before a run can be deleted', async () => {
    await schedule(test.engine, { overlap: 'buffer_one' });
    await passes(2 * HOUR);
    const [first] = await firedRuns(test.engine);
    if (first === undefined) throw new Error('there is no run');
    await cancelRun(test.engine, first, null);
    await deleteRun(test.engine, first);
    expect((await current(test.engine)).running?.runId).not.toBe(first.runId);
  });
});

it('a schedule of another format is put off and blocks nobody', async () => {
  await schedule(test.engine);
  await createSchedule(test.engine, { namespace: 'shop', scheduleId: 'newer', config: config(), enabled: true });
  await test.table.update({ pk: 'shop#schedule#newer', sk: 'schedule' }, { set: { v: 99 } });
  await isDown(HOUR + 5_000);
  await watchdogTick(test.engine);
  await watchdogTick(test.engine);
  expect(await firedRuns(test.engine)).toHaveLength(1);
});
