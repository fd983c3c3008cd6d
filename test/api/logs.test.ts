import { afterEach, beforeEach, expect, it } from 'vitest';
import { ApiClient } from '../helpers/api-client.ts';
import { errorOf, hold, SHOP, UNKNOWN_ID } from '../helpers/api-driver.ts';
import { type TestEngine, testEngine } from '../helpers/test-engine.ts';

const SECRET = 'hunter2-do-not-tell';
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';

let test: TestEngine;
let api: ApiClient;
beforeEach(async () => {
  test = await testEngine();
  api = new ApiClient(test);
});
afterEach(() => test.close());

const log = (): string => JSON.stringify(test.telemetry.lines);

it('no log line holds a payload, whatever becomes of it', async () => {
  const payload = { password: SECRET };
  const error = { code: SECRET, message: SECRET, stack: SECRET, details: payload };
  const done = await hold(api, { input: payload });
  const { path, steps, lease } = done;
  await api.post(`${steps}/begin`, { step_id: 'a', lease, input: payload });
  await api.post(`${steps}/complete`, { step_id: 'a', lease, output: payload });
  await api.post(`${steps}/begin`, { step_id: 'a', lease, input: { changed: SECRET } });
  await api.post(`${steps}/begin`, { step_id: 'b', lease, input: payload });
  await api.post(`${steps}/fail`, { step_id: 'b', lease, error: { ...error, non_retryable: true }, keep_lease: true });
  await api.post(`${path}/complete`, { lease, output: payload });
  await api.get(path);
  await api.get(`${path}/export`);

  const failed = await hold(api, { input: payload });
  await api.post(`${failed.path}/fail`, { lease: failed.lease, error: { ...error, non_retryable: true } });
  await api.get(failed.path);

  // What is refused is not told either.
  await api.post(`${SHOP}/runs`, { workflow_type: SECRET.repeat(20), input: payload });
  await api.post(`${SHOP}/runs`, { [SECRET]: SECRET });
  await api.post(`${SHOP}/runs`, undefined, { text: `{"${SECRET}` });
  await api.post(`${SHOP}/runs`, { workflow_type: 'order', input: SECRET.repeat(120_000) });
  await api.post(`${SHOP}/runs/${UNKNOWN_ID}/complete`, { lease: SECRET, output: payload });
  await test.passes(60_000);

  const [messages, statuses] = [test.telemetry.lines.map((line) => line.message), log().match(/"status":\d+/g)];
  expect(messages).toContain('step begun with another input than recorded');
  expect(statuses).toContain('"status":413');
  expect(log()).not.toContain(SECRET);
});

it('each request leaves one line that says how it went', async () => {
  await api.get(`${SHOP}/runs/${UNKNOWN_ID}`);
  await api.get('/nowhere');
  expect(test.telemetry.lines).toMatchObject([
    {
      level: 'info',
      message: 'request',
      fields: { route: 'GET /v1/{namespace}/runs/{run_id}', status: 404, ms: 0, namespace: 'shop' },
    },
    { level: 'info', message: 'request', fields: { route: '$default', status: 404 } },
  ]);
});

it("every line of a request carries the caller's ids, and so does the answer", async () => {
  const { steps, lease } = await hold(api);
  await api.post(`${steps}/begin`, { step_id: 'a', lease, input: 1 });
  test.telemetry.lines.length = 0;
  const headers = { 'x-correlation-id': 'order-4711/a', traceparent: `00-${TRACE}-00f067aa0ba902b7-01` };
  const answer = await api.post(`${steps}/begin`, { step_id: 'a', lease, input: 2 }, { headers });
  expect(answer.headers).toMatchObject({ 'x-correlation-id': 'order-4711/a', 'x-trace-id': TRACE });
  expect(test.telemetry.lines.map((line) => line.message)).toEqual([
    'step begun with another input than recorded',
    'request',
  ]);
  for (const line of test.telemetry.lines) {
    expect(line.fields).toMatchObject({ correlation_id: 'order-4711/a', trace_id: TRACE });
  }
});

it('x-request-id serves where there is no correlation id', async () => {
  const answer = await api.get('/info', { headers: { 'x-request-id': 'r-1' } });
  expect(answer.headers['x-correlation-id']).toBe('r-1');
});

it.each([
  ['a forged line', { 'x-correlation-id': 'a\n{"level":"error"}' }],
  ['too long', { 'x-correlation-id': 'x'.repeat(129) }],
  ['empty', { 'x-correlation-id': '' }],
  ['no trace parent', { traceparent: `00-${'0'.repeat(31)}-00f067aa0ba902b7-01` }],
  ['a trace parent with more behind', { traceparent: `00-${TRACE}-00f067aa0ba902b7-01\nx` }],
])('ids of a caller that are %s are replaced by new ones', async (_what, headers) => {
  const first = await api.get('/info', { headers });
  const second = await api.get('/info', { headers });
  expect(Object.values(headers)).not.toContain(first.headers['x-correlation-id']);
  expect(first.headers['x-trace-id']).not.toBe(TRACE);
  expect(first.headers['x-correlation-id']).not.toBe(second.headers['x-correlation-id']);
  expect(first.headers['x-trace-id']).not.toBe(second.headers['x-trace-id']);
});

it('an answer that refuses a secret in a wrong place says where, and the log does not', async () => {
  const answer = await api.post(`${SHOP}/runs`, { workflow_type: 'order', [SECRET]: 1 });
  expect(errorOf(answer).message).toContain(SECRET);
  expect(log()).not.toContain(SECRET);
});
