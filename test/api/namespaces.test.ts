import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { errorOf, register, SHOP, start, UNKNOWN_ID, UNKNOWN_LEASE } from '../helpers/api-driver.ts';
import { type ApiFixture, apiFixture } from '../helpers/api-fixture.ts';
import type { ApiResponse } from '../helpers/api-response.ts';
import { dumpStore } from '../helpers/dump-store.ts';

const OTHER = '/v1/other';
const UNKNOWN_LETTER = '1800000000000-AAAAAAAAAAAAAAAA';

let fixture: ApiFixture;
let otherWorkerId: string;
beforeAll(async () => {
  fixture = await apiFixture();
  otherWorkerId = await register(fixture.api, {}, OTHER);
});
afterAll(() => fixture.test.close());

/** What names a thing of a namespace; a request is built from these of a neighbour, then from unknown ones. */
interface Names {
  readonly runId: string;
  readonly endedId: string;
  readonly lease: string;
  readonly workerId: string;
  readonly letter: string;
  readonly scheduleId: string;
}
type Ask = (names: Names) => Promise<ApiResponse>;

const post = (path: string, body?: unknown) => fixture.api.post(`${OTHER}${path}`, body);
const get = (path: string) => fixture.api.get(`${OTHER}${path}`);
const error = { message: 'x' };

const ASKS: readonly (readonly [string, Ask])[] = [
  ['get a run', ({ runId }) => get(`/runs/${runId}`)],
  ['wait for a run', ({ runId }) => get(`/runs/${runId}?wait=5&include=cost`)],
  ['delete a run', ({ endedId }) => fixture.api.delete(`${OTHER}/runs/${endedId}`)],
  ['cancel a run', ({ runId }) => post(`/runs/${runId}/cancel`)],
  ['export a run', ({ endedId }) => get(`/runs/${endedId}/export`)],
  ['list the steps of a run', ({ runId }) => get(`/runs/${runId}/steps`)],
  ['look for a step of a run', ({ runId }) => get(`/runs/${runId}/steps?step_id=begun`)],
  ['get a step', ({ runId }) => get(`/runs/${runId}/step?step_id=begun`)],
  ['begin a step', ({ runId, lease }) => post(`/runs/${runId}/steps/begin`, { step_id: 'new', lease })],
  ['begin a sleep', ({ runId, lease }) => post(`/runs/${runId}/steps/begin`, { step_id: 'new', lease, kind: 'SLEEP' })],
  ['complete a step', ({ runId, lease }) => post(`/runs/${runId}/steps/complete`, { step_id: 'begun', lease })],
  ['fail a step', ({ runId, lease }) => post(`/runs/${runId}/steps/fail`, { step_id: 'begun', lease, error })],
  ['complete a run', ({ runId, lease }) => post(`/runs/${runId}/complete`, { lease })],
  ['fail a run', ({ runId, lease }) => post(`/runs/${runId}/fail`, { lease, error })],
  ['put a run to sleep', ({ runId, lease }) => post(`/runs/${runId}/sleep`, { lease, step_id: 's', duration_ms: 9 })],
  [
    'start a child of a run',
    ({ runId, lease }) => post('/runs', { workflow_type: 'order', parent: { run_id: runId, step_id: 'kid', lease } }),
  ],
  ['get a worker', ({ workerId }) => get(`/workers/${workerId}`)],
  ['beat for a worker', ({ workerId }) => post(`/workers/${workerId}/heartbeat`)],
  ['end a worker', ({ workerId }) => post(`/workers/${workerId}/deregister`)],
  ['drain a worker', ({ workerId }) => post(`/workers/${workerId}/deregister`, { drain: true })],
  ['poll as a worker', ({ workerId }) => post('/task-queues/default/poll', { worker_id: workerId, timeout_secs: 0 })],
  ['get a schedule', ({ scheduleId }) => get(`/schedules/${scheduleId}`)],
  [
    'change a schedule',
    ({ scheduleId }) => fixture.api.send('PATCH', `${OTHER}/schedules/${scheduleId}`, { note: 'x' }),
  ],
  ['delete a schedule', ({ scheduleId }) => fixture.api.delete(`${OTHER}/schedules/${scheduleId}`)],
  ['pause a schedule', ({ scheduleId }) => post(`/schedules/${scheduleId}/pause`)],
  ['resume a schedule', ({ scheduleId }) => post(`/schedules/${scheduleId}/resume`)],
  ['trigger a schedule', ({ scheduleId }) => post(`/schedules/${scheduleId}/trigger`, { request_id: 'r' })],
  [
    'backfill a schedule',
    ({ scheduleId }) =>
      post(`/schedules/${scheduleId}/backfill`, { from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z' }),
  ],
  ['preview a schedule', ({ scheduleId }) => get(`/schedules/${scheduleId}/next`)],
  ['read the history of a schedule', ({ scheduleId }) => get(`/schedules/${scheduleId}/history`)],
  ['send a dead letter again', ({ letter }) => post(`/dead-letters/${letter}/redrive`)],
];

const UNKNOWN: Names = {
  runId: UNKNOWN_ID,
  endedId: UNKNOWN_ID,
  lease: UNKNOWN_LEASE,
  workerId: UNKNOWN_ID,
  letter: UNKNOWN_LETTER,
  scheduleId: 'unknown',
};

describe('with what belongs to another namespace', () => {
  it.each(ASKS)('to %s is answered as if there were no such thing, and changes nothing', async (_what, ask) => {
    const { held, ended, deadLetterId, scheduleId, test } = fixture;
    const theirs: Names = { ...held, endedId: ended.runId, letter: deadLetterId, scheduleId };
    const before = await dumpStore(test);
    const real = await ask(theirs);
    const unknown = await ask(UNKNOWN);
    expect(real.status).toBe(404);
    expect(real.status).toBe(unknown.status);
    const hideIds = (answer: ApiResponse): string =>
      [...Object.values(theirs), ...Object.values(UNKNOWN)].reduce(
        (text, id) => text.replaceAll(id, 'ID'),
        JSON.stringify(answer.body),
      );
    expect(hideIds(real)).toBe(hideIds(unknown));
    expect(await dumpStore(test)).toEqual(before);
  });
});

it('a heartbeat that names a run of another namespace learns nothing and keeps nothing alive', async () => {
  const { runId, lease } = fixture.held;
  const beat = (run_id: string, of: string) =>
    fixture.api.post(`${OTHER}/workers/${otherWorkerId}/heartbeat`, { runs: [{ run_id, lease: of }] });
  expect((await beat(runId, lease)).body).toMatchObject({ lost_runs: [{ run_id: runId, status: null }] });
  expect((await beat(UNKNOWN_ID, UNKNOWN_LEASE)).body).toMatchObject({ lost_runs: [{ status: null }] });
  expect((await get(`/workers/${otherWorkerId}`)).body).toMatchObject({ run_ids: [] });
});

it('lists show nothing of another namespace', async () => {
  expect((await get('/runs?include_total_count=true')).body).toMatchObject({ runs: [], total_count: 0 });
  expect((await get('/runs?external_id=held&include_total_count=true')).body).toMatchObject({
    runs: [],
    total_count: 0,
  });
  expect((await get('/schedules')).body).toMatchObject({ schedules: [] });
  expect((await get('/dead-letters')).body).toMatchObject({ dead_letters: [] });
  expect((await get('/workers')).body).toMatchObject({ workers: [{ worker_id: otherWorkerId }] });
  expect((await get('/task-queues')).body).toMatchObject({
    task_queues: [{ name: 'default', ready: 0, in_flight: 0 }],
  });
});

it('a namespace whose name begins like another one is another one', async () => {
  for (const alike of ['sho', 'shop2', 'shop-', 'shop.run']) {
    expect((await fixture.api.get(`/v1/${alike}/runs`)).body).toMatchObject({ runs: [] });
    expect((await fixture.api.get(`/v1/${alike}/workers`)).body).toMatchObject({ workers: [] });
  }
});

it('a page token of one namespace is refused by another', async () => {
  await start(fixture.api);
  const { body } = await fixture.api.get(`${SHOP}/runs?page_size=1`);
  const { next_page_token: token } = body as { readonly next_page_token: string };
  expect((await fixture.api.get(`${SHOP}/runs?page_size=1&page_token=${token}`)).status).toBe(200);
  expect(errorOf(await get(`/runs?page_size=1&page_token=${token}`)).code).toBe('INVALID_PAGE_TOKEN');
});

it('the same external id is another run in another namespace', async () => {
  const mine = await start(fixture.api, { external_id: 'held' }, OTHER);
  expect(mine).not.toBe(fixture.held.runId);
  const polled = await post('/task-queues/default/poll', { worker_id: otherWorkerId, timeout_secs: 0 });
  expect(polled.body).toMatchObject({ task: { run_id: mine } });
});
