import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ApiClient } from '../helpers/api-client.ts';
import { errorOf, SHOP } from '../helpers/api-driver.ts';
import type { ApiResponse } from '../helpers/api-response.ts';
import { deliverControl, type TestEngine, testEngine } from '../helpers/test-engine.ts';

let test: TestEngine;
let api: ApiClient;
beforeEach(async () => {
  test = await testEngine({ inMemory: true });
  api = new ApiClient(test);
});
afterEach(() => test.close());

const HOUR = 3_600_000;
const ALL = `${SHOP}/schedules`;
const NIGHTLY = `${ALL}/nightly`;
type Fields = Readonly<Record<string, unknown>>;
interface SchedulePage {
  readonly schedules: readonly Fields[];
  readonly next_page_token: string | null;
}
const create = (body: object = {}): Promise<ApiResponse> =>
  api.post(ALL, { schedule_id: 'nightly', workflow_type: 'report', cron_expr: '@hourly', ...body });
const patch = (body: object): Promise<ApiResponse> => api.send('PATCH', NIGHTLY, body);
const body = (answer: ApiResponse): Fields => answer.body as Fields;

describe('a schedule over HTTP', () => {
  it('is created with its defaults and can be read', async () => {
    const created = await create({ input: { region: 'eu' } });
    expect(created.status).toBe(201);
    expect(created.body).toMatchObject({
      schedule_id: 'nightly',
      status: 'SCHEDULED',
      enabled: true,
      revision: 1,
      version: '1',
      task_queue: 'default',
      cron_expr: ['@hourly'],
      timezone: 'UTC',
      max_catchup: 100,
      overlap_policy: 'allow_all',
      next_fire_at: '2027-01-15T09:00:00.000Z',
      last_fired_at: null,
      skipped: { catchup: 0, overlap: 0, last: null },
    });
    expect((await api.get(NIGHTLY)).body).toEqual({ ...body(created), input: { region: 'eu' } });
  });

  it('is refused if there is one, unless it is the same request again', async () => {
    await create({ request_id: 'r-1' });
    expect(errorOf(await create())).toMatchObject({ code: 'SCHEDULE_EXISTS' });
    expect((await create({ request_id: 'r-1' })).status).toBe(200);
    expect(errorOf(await create({ request_id: 'r-2' }))).toMatchObject({ code: 'SCHEDULE_EXISTS' });
  });

  it.each([
    ['no times at all', { cron_expr: [] }, 'it needs a cron expression or an interval'],
    ['a date that never comes', { cron_expr: '0 0 30 2 *' }, 'never fires: there is no such date'],
    ['too few fields', { cron_expr: '* * *' }, 'it needs five fields'],
    ['a minute there is not', { cron_expr: '60 * * * *' }, '"60" is no minute: 0 to 59'],
    ['a step of nothing', { cron_expr: '*/0 * * * *' }, 'is 0'],
    ['a nickname there is not', { cron_expr: '@fortnightly' }, 'known are @yearly'],
    ['a zone there is not', { timezone: 'Mars/Olympus' }, 'is no IANA time zone'],
    ['an interval of half a second', { intervals: [{ every_ms: 500 }] }, 'a whole number of seconds'],
    ['an offset beyond its interval', { intervals: [{ every_ms: 1000, offset_ms: 1000 }] }, 'the offset'],
    ['an end before the start', { start_at: '2028-01-02T00:00:00Z', end_at: '2028-01-01T00:00:00Z' }, 'ends before'],
    ['an end in the past', { end_at: '2020-01-01T00:00:00Z' }, 'it ends before it would fire'],
    ['an id that is no part of a path', { schedule_id: 'a/b' }, 'is no schedule id'],
    ['an id with a colon', { schedule_id: 'a:b' }, 'is no schedule id'],
  ])('is refused with %s, and nothing is written', async (_why, given, message) => {
    const answer = await create(given);
    expect(errorOf(answer)).toMatchObject({ code: 'INVALID_ARGUMENT', message: expect.stringContaining(message) });
    expect((await api.get(ALL)).body).toMatchObject({ schedules: [] });
  });

  it('refuses an input that is too large for it', async () => {
    expect(errorOf(await create({ input: 'x'.repeat(300_000) }))).toMatchObject({ code: 'PAYLOAD_TOO_LARGE' });
  });

  it('keeps an input that is not small, through updates', async () => {
    const input = { text: 'y'.repeat(20_000) };
    await create({ input });
    await patch({ note: 'kept' });
    expect(body(await api.get(NIGHTLY))['input']).toEqual(input);
    await patch({ input: null });
    expect(body(await api.get(NIGHTLY))['input']).toBeUndefined();
  });

  it('is updated in parts, and refused at another revision', async () => {
    await create();
    const changed = await patch({
      cron_expr: ['0 6 * * *', '0 18 * * *'],
      timezone: 'Asia/Tokyo',
      note: 'n',
      revision: 1,
    });
    expect(changed.body).toMatchObject({ revision: 2, note: 'n', next_fire_at: '2027-01-15T09:00:00.000Z' });
    expect(errorOf(await patch({ note: 'other', revision: 1 }))).toMatchObject({
      code: 'SCHEDULE_CHANGED',
      details: { revision: 2 },
    });
    expect((await patch({ note: null })).body).toMatchObject({ note: null, revision: 3, timezone: 'Asia/Tokyo' });
    expect(errorOf(await patch({ cron_expr: [] })).code).toBe('INVALID_ARGUMENT');
  });

  it('is paused and resumed, with a reason', async () => {
    await create();
    const paused = await api.post(`${NIGHTLY}/pause`, { reason: 'stocktaking' });
    expect(paused.body).toMatchObject({ status: 'PAUSED', pause_reason: 'stocktaking', next_fire_at: null });
    expect((await api.get(`${ALL}?status=PAUSED`)).body).toMatchObject({ schedules: [{ schedule_id: 'nightly' }] });
    const resumed = await api.post(`${NIGHTLY}/resume`);
    expect(resumed.body).toMatchObject({ status: 'SCHEDULED', pause_reason: null });
    expect((await patch({ enabled: false })).body).toMatchObject({ status: 'PAUSED', enabled: false });
  });

  it('is triggered once for a request, also while it is paused', async () => {
    await create({ enabled: false });
    const first = await api.post(`${NIGHTLY}/trigger`, { request_id: 't-1' });
    expect(first.body).toMatchObject({ outcome: 'started', fire_at: '2027-01-15T08:00:00.000Z' });
    await test.clock.advance(1_000);
    expect((await api.post(`${NIGHTLY}/trigger`, { request_id: 't-1' })).body).toEqual(first.body);
    const run = await api.get(`${SHOP}/runs/${String(body(first)['run_id'])}`);
    expect(run.body).toMatchObject({
      external_id: 'nightly:trigger:t-1',
      schedule_id: 'nightly',
      fire_at: '2027-01-15T08:00:00.000Z',
    });
    expect((await api.post(`${NIGHTLY}/trigger`, { overlap_policy: 'skip' })).body).toMatchObject({
      outcome: 'started',
    });
    expect((await api.post(`${NIGHTLY}/trigger`, { overlap_policy: 'skip' })).body).toMatchObject({
      outcome: 'skipped',
      run_id: null,
    });
    const buffered = await api.post(`${NIGHTLY}/trigger`, { overlap_policy: 'buffer_all', request_id: 't-2' });
    expect(buffered.body).toMatchObject({ outcome: 'buffered' });
    expect((await api.post(`${NIGHTLY}/trigger`, { overlap_policy: 'buffer_all', request_id: 't-2' })).body).toEqual(
      buffered.body,
    );
  });

  it('shows the run whose end its policy is about while it is open', async () => {
    await create({ overlap_policy: 'skip' });
    const { run_id } = body(await api.post(`${NIGHTLY}/trigger`));
    const shown = async () => [
      body(await api.get(NIGHTLY))['running'],
      ...((await api.get(ALL)).body as SchedulePage).schedules.map((one) => one['running']),
    ];
    expect(await shown()).toMatchObject([{ run_id }, { run_id }]);
    await api.post(`${SHOP}/runs/${String(run_id)}/cancel`);
    expect(await shown()).toEqual([null, null]);
  });

  it('is backfilled, each time once', async () => {
    await create();
    const range = { from: '2027-01-10T00:00:00Z', to: '2027-01-10T23:59:59Z' };
    for (let turn = 0; turn < 2; turn += 1) {
      expect((await api.post(`${NIGHTLY}/backfill`, range)).body).toMatchObject({ fires: 24 });
      await deliverControl(test.engine);
    }
    const runs = body(await api.get(`${SHOP}/runs?schedule_id=nightly&page_size=100`))['runs'];
    expect(runs).toHaveLength(24);
    expect((await api.get(NIGHTLY)).body).toMatchObject({ backfills: [], last_fired_at: null });
  });

  it('is backfilled by overlapping ranges at once, each time once', async () => {
    await create();
    const day = (to: string) => ({
      from: '2027-01-10T00:00:00Z',
      to: `2027-01-10T${to}Z`,
      overlap_policy: 'allow_all',
    });
    await api.post(`${NIGHTLY}/backfill`, day('11:59:59'));
    await api.post(`${NIGHTLY}/backfill`, day('23:59:59'));
    await deliverControl(test.engine);
    const runs = body(await api.get(`${SHOP}/runs?schedule_id=nightly&page_size=100`))['runs'];
    expect(runs).toHaveLength(24);
    expect((await api.get(NIGHTLY)).body).toMatchObject({ backfills: [], fired: 24 });
  });

  it.each([
    ['ends before it begins', { from: '2027-01-02T00:00:00Z', to: '2027-01-01T00:00:00Z' }],
    ['ends in the future', { from: '2027-01-02T00:00:00Z', to: '2030-01-01T00:00:00Z' }],
    ['holds too many fires', { from: '2000-01-02T00:00:00Z', to: '2027-01-01T00:00:00Z' }],
  ])('is not backfilled for a range that %s', async (_why, range) => {
    await create();
    expect(errorOf(await api.post(`${NIGHTLY}/backfill`, range)).code).toBe('INVALID_ARGUMENT');
  });

  it('tells its next times and what became of those before', async () => {
    await create();
    expect((await api.get(`${NIGHTLY}/next?count=2`)).body).toEqual({
      fire_times: ['2027-01-15T09:00:00.000Z', '2027-01-15T10:00:00.000Z'],
    });
    expect((await api.get(`${NIGHTLY}/next?count=1&after=2027-02-01T00:00:00Z`)).body).toEqual({
      fire_times: ['2027-02-01T01:00:00.000Z'],
    });
    for (let hour = 0; hour < 3; hour += 1) {
      await test.clock.advance(HOUR);
      await deliverControl(test.engine);
    }
    const first = await api.get(`${NIGHTLY}/history?page_size=2`);
    expect(first.body).toMatchObject({
      fires: ['11:00', '10:00'].map((time) => ({
        kind: 'cron',
        fire_at: `2027-01-15T${time}:00.000Z`,
        run_status: 'PENDING',
      })),
    });
    const token = String(body(first)['next_page_token']);
    const second = await api.get(`${NIGHTLY}/history?page_size=2&page_token=${token}`);
    expect(second.body).toMatchObject({ fires: [{ external_id: 'nightly:2027-01-15T09:00:00Z' }] });
  });

  it('that was down for a day makes the 10 newest of 24 hours, and names the 14 that it skipped', async () => {
    await create({ max_catchup: 10 });
    await test.clock.advance(24 * HOUR + 1_000);
    await test.passes(5_000);
    const runs = body(await api.get(`${SHOP}/runs?schedule_id=nightly&page_size=100`))['runs'] as readonly Fields[];
    const hours = ['23', '00', '01', '02', '03', '04', '05', '06', '07', '08'];
    expect(runs.map((run) => String(run['fire_at']).slice(11, 13)).sort()).toEqual([...hours].sort());
    const last = {
      reason: 'catchup',
      count: 14,
      count_capped: false,
      from: '2027-01-15T09:00:00.000Z',
      to: '2027-01-15T22:00:00.000Z',
    };
    expect((await api.get(NIGHTLY)).body).toMatchObject({ fired: 10, skipped: { catchup: 14, overlap: 0, last } });
    const history = body(await api.get(`${NIGHTLY}/history?page_size=100`))['fires'] as readonly Fields[];
    expect(history).toHaveLength(11);
    expect(history.at(-1)).toMatchObject({ what: 'skip', ...last });
  });

  it('is deleted, its runs stay, and its id is free', async () => {
    await create({ input: 'z'.repeat(5_000) });
    await api.post(`${NIGHTLY}/trigger`);
    expect((await api.delete(NIGHTLY)).status).toBe(204);
    expect(errorOf(await api.get(NIGHTLY)).code).toBe('SCHEDULE_NOT_FOUND');
    expect(body(await api.get(`${SHOP}/runs`))['runs']).toHaveLength(1);
    await test.passes(HOUR + 5_000);
    expect(body(await api.get(`${SHOP}/runs`))['runs']).toHaveLength(1);
    expect((await create()).status).toBe(201);
    expect((await api.get(`${NIGHTLY}/history`)).body).toMatchObject({ fires: [] });
  });

  it('is listed by task queue, in pages, in its namespace alone', async () => {
    for (let n = 0; n < 5; n += 1) {
      await create({ schedule_id: `s-${n}`, task_queue: n % 2 === 0 ? 'even' : 'odd' });
      await test.clock.advance(1_000);
    }
    const ids: unknown[] = [];
    let token = '';
    do {
      const page = (await api.get(`${ALL}?task_queue=even&page_size=2${token}`)).body as SchedulePage;
      ids.push(...page.schedules.map((one) => one['schedule_id']));
      token = page.next_page_token === null ? '' : `&page_token=${page.next_page_token}`;
    } while (token !== '');
    expect(ids).toEqual(['s-4', 's-2', 's-0']);
    expect((await api.get('/v1/other/schedules')).body).toMatchObject({ schedules: [] });
    expect(errorOf(await api.get('/v1/other/schedules/s-1')).code).toBe('SCHEDULE_NOT_FOUND');
  });
});
