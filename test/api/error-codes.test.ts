import { afterEach, beforeEach, expect, it } from 'vitest';
import { type ErrorCode, STATUS_OF } from '../../shared/model/errors.ts';
import { ApiClient } from '../helpers/api-client.ts';
import { errorOf, finished, hold, register, SHOP, start, UNKNOWN_ID } from '../helpers/api-driver.ts';
import type { ApiResponse } from '../helpers/api-response.ts';
import { queueWith } from '../helpers/faulty-parts.ts';
import { type TestEngine, testEngine } from '../helpers/test-engine.ts';

let test: TestEngine;
let api: ApiClient;
let declared: readonly string[] | null;
beforeEach(async () => {
  declared = null;
  test = await testEngine({
    wrap: (parts) => ({ ...parts, queue: queueWith(parts.queue, { declared: async () => declared }) }),
  });
  api = new ApiClient(test);
});
afterEach(() => test.close());

const poll = (worker_id: string) => api.post(`${SHOP}/task-queues/default/poll`, { worker_id, timeout_secs: 0 });

/** The status is fixed here once more, so that no change of the table goes unseen. */
const schedule = () => api.post(`${SHOP}/schedules`, { schedule_id: 's', workflow_type: 'order', cron_expr: '@daily' });

const PROVOKED: readonly (readonly [ErrorCode, number, string, () => Promise<ApiResponse>])[] = [
  ['INVALID_ARGUMENT', 400, 'a field is missing', () => api.post(`${SHOP}/runs`, {})],
  ['INVALID_PAGE_TOKEN', 400, 'a page token is forged', () => api.get(`${SHOP}/runs?page_token=forged`)],
  ['ROUTE_NOT_FOUND', 404, 'there is no such path', () => api.get('/v2/shop/runs')],
  ['ROUTE_NOT_FOUND', 404, 'there are no metrics here', () => api.get('/metrics')],
  ['ROUTE_NOT_FOUND', 404, 'nobody keeps a history of metrics here', () => api.get('/metrics/history')],
  ['RUN_NOT_FOUND', 404, 'there is no such run', () => api.get(`${SHOP}/runs/${UNKNOWN_ID}`)],
  ['STEP_NOT_FOUND', 404, 'there is no such step', async () => api.get((await hold(api)).step('nope'))],
  [
    'STEP_NOT_FOUND',
    404,
    'an outcome is seen that nobody recorded',
    async () => {
      const { steps, lease } = await hold(api);
      return api.post(`${steps}/observe`, { step_id: 'nope', lease, order: 1 });
    },
  ],
  ['WORKER_NOT_FOUND', 404, 'there is no such worker', () => api.get(`${SHOP}/workers/${UNKNOWN_ID}`)],
  ['DEAD_LETTER_NOT_FOUND', 404, 'there is no such dead letter', () => api.post(`${SHOP}/dead-letters/x/redrive`)],
  ['METHOD_NOT_ALLOWED', 405, 'the path is for other methods', () => api.send('PUT', `${SHOP}/runs/${UNKNOWN_ID}`)],
  ['RUN_NOT_FINISHED', 409, 'an open run is deleted', async () => api.delete(`${SHOP}/runs/${await start(api)}`)],
  ['RUN_NOT_FINISHED', 409, 'an open run is exported', async () => api.get(`${SHOP}/runs/${await start(api)}/export`)],
  ['RUN_FINISHED', 409, 'a finished run is cancelled', async () => api.post(`${(await finished(api)).path}/cancel`)],
  [
    'UNSUPPORTED_MEDIA_TYPE',
    415,
    'the body is no JSON',
    () => api.post(`${SHOP}/runs`, {}, { headers: { 'content-type': 'text/plain' } }),
  ],
  [
    'TASK_QUEUE_NOT_FOUND',
    404,
    'the queue is not declared',
    () => {
      declared = ['fast', 'slow'];
      return api.post(`${SHOP}/runs`, { workflow_type: 'order' });
    },
  ],
  [
    'EXTERNAL_ID_CONFLICT',
    409,
    'the external id is of another workflow type',
    async () => {
      await start(api, { external_id: 'o-1' });
      return api.post(`${SHOP}/runs`, { workflow_type: 'refund', external_id: 'o-1' });
    },
  ],
  [
    'LEASE_LOST',
    409,
    'the run was cancelled meanwhile',
    async () => {
      const { path, lease, steps } = await hold(api);
      await api.post(`${path}/cancel`);
      return api.post(`${steps}/begin`, { step_id: 'a', lease });
    },
  ],
  [
    'STEP_NOT_BEGUN',
    409,
    'a step is completed that was not begun',
    async () => {
      const { steps, lease } = await hold(api);
      return api.post(`${steps}/complete`, { step_id: 'a', lease });
    },
  ],
  [
    'STEP_FINISHED',
    409,
    'a completed step fails',
    async () => {
      const { steps, lease } = await hold(api);
      await api.post(`${steps}/begin`, { step_id: 'a', lease });
      await api.post(`${steps}/complete`, { step_id: 'a', lease });
      return api.post(`${steps}/fail`, { step_id: 'a', lease, error: { message: 'late' } });
    },
  ],
  [
    'STEP_KIND_CONFLICT',
    409,
    'a step is begun as another kind',
    async () => {
      const { steps, lease } = await hold(api);
      await api.post(`${steps}/begin`, { step_id: 'a', lease });
      return api.post(`${steps}/begin`, { step_id: 'a', lease, kind: 'CHILD_WORKFLOW' });
    },
  ],
  [
    'CANCEL_NOT_REQUESTED',
    409,
    'a worker ends a run as cancelled that nobody cancelled',
    async () => {
      const { path, lease } = await hold(api);
      return api.post(`${path}/cancelled`, { lease });
    },
  ],
  ['SCHEDULE_NOT_FOUND', 404, 'there is no such schedule', () => api.get(`${SHOP}/schedules/none`)],
  [
    'SCHEDULE_EXISTS',
    409,
    'there is one of this id',
    async () => {
      await schedule();
      return schedule();
    },
  ],
  [
    'SCHEDULE_CHANGED',
    409,
    'it is at another revision',
    async () => {
      await schedule();
      return api.send('PATCH', `${SHOP}/schedules/s`, { note: 'x', revision: 7 });
    },
  ],
  [
    'WORKER_DRAINING',
    409,
    'a draining worker polls',
    async () => {
      const id = await register(api);
      await api.post(`${SHOP}/workers/${id}/deregister`, { drain: true });
      return poll(id);
    },
  ],
  [
    'WORKER_OFFLINE',
    409,
    'a worker that is gone polls',
    async () => {
      const id = await register(api);
      await api.post(`${SHOP}/workers/${id}/deregister`);
      return poll(id);
    },
  ],
  [
    'ENGINE_DRAINING',
    409,
    'the engine drains',
    async () => {
      await api.post('/admin/drain');
      return poll(await register(api));
    },
  ],
  [
    'PAYLOAD_TOO_LARGE',
    413,
    'the body is too large',
    () => api.post(`${SHOP}/runs`, undefined, { text: `"${'x'.repeat(5 * 1024 * 1024)}"` }),
  ],
];

it.each(PROVOKED)('%s is %i: %s', async (code, status, _why, provoke) => {
  const answer = await provoke();
  expect({ status: answer.status, code: errorOf(answer).code }).toEqual({ status, code });
  expect(errorOf(answer).message).not.toBe('');
});

it('provokes every code there is, but for those of the local guard and of broken ports', () => {
  const elsewhere: readonly string[] = ['UNAUTHENTICATED', 'FORBIDDEN', 'UNAVAILABLE', 'INTERNAL'];
  const provoked = new Set<string>([...PROVOKED.map(([code]) => code), ...elsewhere]);
  expect(Object.keys(STATUS_OF).filter((code) => !provoked.has(code))).toEqual([]);
});
