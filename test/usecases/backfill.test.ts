import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { OverlapPolicy } from '../../shared/model/schedule.ts';
import { backfillSchedule } from '../../shared/usecases/backfill-schedule.ts';
import { cancelRun } from '../../shared/usecases/cancel-run.ts';
import { changeSchedule } from '../../shared/usecases/change-schedule.ts';
import { listFires } from '../../shared/usecases/list-fires.ts';
import { triggerSchedule } from '../../shared/usecases/trigger-schedule.ts';
import { current, firedRuns, fireTimesOf, HOUR, ID, schedule } from '../helpers/schedule-driver.ts';
import { deliverControl, type TestEngine, testEngine } from '../helpers/test-engine.ts';

/** Time begins at 2027-01-15T08:00:00Z. */
let test: TestEngine;
beforeEach(async () => {
  test = await testEngine({ inMemory: true });
});
afterEach(() => test.close());

const at = (time: string): number => Date.parse(`2027-01-15T${time}:00Z`);
const backfill = async (from: string, to: string, overlap?: OverlapPolicy): Promise<void> => {
  await backfillSchedule(test.engine, ID, { from: at(from), to: at(to), overlap });
  await deliverControl(test.engine);
};
const times = async (): Promise<readonly string[]> =>
  (await fireTimesOf(test.engine)).map((time) => time.slice(11, 16));
const statuses = async () => (await firedRuns(test.engine)).map(({ status }) => status);
const endFirstOpen = async (): Promise<void> => {
  const run = (await firedRuns(test.engine)).find(({ status }) => status === 'PENDING');
  if (run !== undefined) await cancelRun(test.engine, run, null);
  await deliverControl(test.engine);
};

describe('a backfill', () => {
  it('leaves times alone that have a run, in counts and history too', async () => {
    await schedule(test.engine);
    await test.passes(2 * HOUR);
    await backfill('07:00', '10:00');
    expect(await times()).toEqual(['07:00', '08:00', '09:00', '10:00']);
    expect(await current(test.engine)).toMatchObject({ fired: 4, skipped: { overlap: 0 }, backfills: [] });
    const { fires } = await listFires(test.engine, ID, { pageSize: 100 });
    expect(fires.map((one) => one.what === 'fire' && one.fire.kind)).toEqual(['cron', 'cron', 'backfill', 'backfill']);
  });

  it('goes through more of them than are looked at together', async () => {
    await schedule(test.engine, {}, { cron: ['* * * * *'] });
    await backfill('02:00', '07:59');
    await backfill('02:00', '08:00');
    expect(await current(test.engine)).toMatchObject({ fired: 361, backfills: [] });
  });

  it('begins in 1970 at the earliest', async () => {
    await schedule(test.engine, {}, { cron: [], intervals: [{ everyMs: 86_400_000, offsetMs: 0 }] });
    await backfillSchedule(test.engine, ID, { from: -3 * 86_400_000, to: 86_400_000 });
    await deliverControl(test.engine);
    expect(await fireTimesOf(test.engine)).toEqual(['1970-01-01T00:00:00.000Z', '1970-01-02T00:00:00.000Z']);
  });

  it('looks at none of its times while as many wait as may, and then at few', async () => {
    await schedule(test.engine, {}, { cron: ['* * * * *'] });
    await backfill('02:00', '07:59', 'buffer_all');
    expect((await current(test.engine)).buffer).toHaveLength(100);
    let looks = 0;
    const batchGet = test.table.batchGet.bind(test.table);
    test.table.batchGet = (keys, options) => {
      // Not those of a list.
      if (options?.consistent === true) looks += keys.length;
      return batchGet(keys, options);
    };
    await test.passes(31_000);
    expect(looks).toBe(0);
    await endFirstOpen();
    expect(looks).toBeLessThanOrEqual(10);
    expect((await current(test.engine)).buffer).toHaveLength(100);
  });

  it('goes through the times that there were when it was asked for', async () => {
    await schedule(test.engine, { overlap: 'buffer_all' }, { cron: ['* * * * *'] });
    await backfill('06:00', '07:49');
    await changeSchedule(test.engine, ID, { config: { spec: { cron: ['*/7 * * * *'] } } });
    await changeSchedule(test.engine, ID, { config: { spec: { cron: ['@yearly'] } } });
    for (let n = 0; n < 110; n += 1) await endFirstOpen();
    expect((await times()).length).toBe(110);
    expect((await times()).at(-1)).toBe('07:49');
  });

  it('that skips does not skip what has run', async () => {
    await schedule(test.engine);
    await test.passes(2 * HOUR);
    for (let n = 0; n < 2; n += 1) await endFirstOpen();
    await backfill('07:00', '10:00', 'skip');
    expect(await times()).toEqual(['07:00', '09:00', '10:00']);
    expect(await current(test.engine)).toMatchObject({ fired: 3, skipped: { overlap: 1 } });
  });

  it.each([
    ['allow_all', 3],
    ['skip', 1],
    ['buffer_one', 1],
    ['buffer_all', 1],
    ['cancel_other', 1],
  ] as const)('of a schedule with %s makes all, %i at once, unless told otherwise', async (overlap, atOnce) => {
    await schedule(test.engine, { overlap });
    await backfill('03:00', '05:00');
    expect(await times()).toHaveLength(atOnce);
    for (let n = 0; n < 3; n += 1) await endFirstOpen();
    expect(await times()).toEqual(['03:00', '04:00', '05:00']);
    expect(await current(test.engine)).toMatchObject({ fired: 3, skipped: { overlap: 0 } });
  });

  it('does not cancel a run to take its own place', async () => {
    await schedule(test.engine, { overlap: 'cancel_other' });
    await test.passes(HOUR);
    await backfill('09:00', '09:00');
    expect(await statuses()).toEqual(['PENDING']);
  });

  it('leaves what its jitter holds back to come by itself', async () => {
    await schedule(test.engine, { overlap: 'cancel_other' }, { jitterMs: HOUR / 2 });
    await test.passes(HOUR + 1_000);
    expect(await times()).toEqual([]);
    await backfill('08:30', '09:00');
    expect(await current(test.engine)).toMatchObject({ fired: 0, backfills: [] });
    await test.passes(HOUR / 2);
    expect(await statuses()).toEqual(['PENDING']);
    expect(await current(test.engine)).toMatchObject({ fired: 1 });
  });
});

describe('while a schedule is paused', () => {
  const pause = (enabled: boolean) => changeSchedule(test.engine, ID, { config: {}, enabled: !enabled });

  it('what a backfill has waiting starts, one after the other', async () => {
    await schedule(test.engine);
    await pause(true);
    await backfill('03:00', '05:00', 'buffer_all');
    for (const made of [1, 2, 3]) {
      expect(await times()).toHaveLength(made);
      await endFirstOpen();
    }
  });

  it('its own fires go on waiting, and keep no trigger from its start', async () => {
    await schedule(test.engine, { overlap: 'buffer_all' });
    await test.passes(2 * HOUR);
    await pause(true);
    await endFirstOpen();
    expect(await times()).toEqual(['09:00']);
    expect(await triggerSchedule(test.engine, ID, {})).toMatchObject({ outcome: 'started' });
    await endFirstOpen();
    await test.passes(60_000);
    expect(await times()).toEqual(['09:00', '10:00']);
    await pause(false);
    await deliverControl(test.engine);
    expect(await times()).toEqual(['09:00', '10:00', '10:00']);
  });
});
