import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ApiClient } from '../helpers/api-client.ts';
import { errorOf, hold, SHOP, take, UNKNOWN_ID, UNKNOWN_LEASE } from '../helpers/api-driver.ts';
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

describe('an error says what helps its caller', () => {
  it('every field that is wrong', async () => {
    const answer = await api.post(`${SHOP}/runs?x=1`, { workflow_type: '', delay_ms: -1, extra: true });
    const problems = errorOf(answer).details['problems'] as readonly string[];
    for (const place of ['query', 'body.workflow_type', 'body.delay_ms', 'body: Unrecognized key: "extra"']) {
      expect(problems.some((problem) => problem.startsWith(place))).toBe(true);
    }
  });

  it('the methods that a path has', async () => {
    const answer = await api.send('PATCH', `${SHOP}/runs/${UNKNOWN_ID}`);
    expect(answer.headers['allow']).toBe('GET, DELETE');
  });

  it('the queues that are declared', async () => {
    declared = ['fast', 'slow'];
    const answer = await api.post(`${SHOP}/workers`, { workflow_types: ['order'] });
    expect(errorOf(answer)).toMatchObject({ code: 'TASK_QUEUE_NOT_FOUND', details: { declared } });
  });

  it('the state of a run that is no longer held', async () => {
    const { path, lease, workerId } = await hold(api);
    await api.post(`${path}/fail`, { lease, error: { message: 'x', retry_after_ms: 0 } });
    await take(api, workerId);
    const answer = await api.post(`${path}/complete`, { lease });
    expect(errorOf(answer)).toMatchObject({ code: 'LEASE_LOST', details: { status: 'RUNNING' } });
  });
});

it.each(['begin', 'complete', 'fail'])(
  'a lease of nothing there is gets RUN_NOT_FOUND from %s of a step',
  async (verb) => {
    const error = verb === 'fail' ? { error: { message: 'x' } } : {};
    const answer = await api.post(`${SHOP}/runs/${UNKNOWN_ID}/steps/${verb}`, {
      step_id: 'a',
      lease: UNKNOWN_LEASE,
      ...error,
    });
    expect(errorOf(answer).code).toBe('RUN_NOT_FOUND');
  },
);

it('a step that is no sleep cannot be slept', async () => {
  const { path, steps, lease } = await hold(api);
  await api.post(`${steps}/begin`, { step_id: 'a', lease });
  expect((await api.post(`${path}/sleep`, { lease, step_id: 'a', duration_ms: 1 })).status).toBe(409);
});

it('a step that is no child, or another child, refuses the start of one', async () => {
  const { runId, lease, steps } = await hold(api);
  await api.post(`${steps}/begin`, { step_id: 'f', lease });
  const child = (step_id: string, external_id: string) =>
    api.post(`${SHOP}/runs`, { workflow_type: 'order', external_id, parent: { run_id: runId, step_id, lease } });
  expect(errorOf(await child('f', 'one')).code).toBe('STEP_KIND_CONFLICT');
  expect((await child('kid', 'one')).status).toBe(201);
  expect(errorOf(await child('kid', 'two')).code).toBe('STEP_FINISHED');
});
