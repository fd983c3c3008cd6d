import { afterEach, beforeEach, expect, it } from 'vitest';
import { PortError, type PortFailure } from '../../shared/ports/port-error.ts';
import { ApiClient } from '../helpers/api-client.ts';
import { SHOP, UNKNOWN_ID } from '../helpers/api-driver.ts';
import { tableWith } from '../helpers/faulty-parts.ts';
import { type TestEngine, testEngine } from '../helpers/test-engine.ts';

const CAUSE = 'connect ECONNREFUSED 10.1.2.3:5432 password=hunter2';
const UNAVAILABLE = { code: 'UNAVAILABLE', message: 'The service is unavailable; try again.', details: {} };
const INTERNAL = { code: 'INTERNAL', message: 'Something went wrong here.', details: {} };

let test: TestEngine;
let api: ApiClient;
let thrown: unknown;
beforeEach(async () => {
  thrown = null;
  test = await testEngine({
    wrap: (parts) => ({
      ...parts,
      table: tableWith(parts.table, {
        get: async (key, options) => {
          if (thrown !== null) throw thrown;
          return parts.table.get(key, options);
        },
      }),
    }),
  });
  api = new ApiClient(test);
});
afterEach(() => test.close());

it.each<PortFailure>(['unknown', 'unavailable', 'conflict'])(
  'a port that fails as "%s" is a 503 that says nothing but when to come back',
  async (failure) => {
    thrown = new PortError(failure, CAUSE);
    const answer = await api.get(`${SHOP}/runs/${UNKNOWN_ID}`);
    expect(answer).toMatchObject({ status: 503, body: { error: UNAVAILABLE }, headers: { 'retry-after': '1' } });
    expect(JSON.stringify(answer)).not.toContain('hunter2');
  },
);

it.each([
  ['a request that a port can never serve', new PortError('invalid', CAUSE)],
  ['a mistake in the code', new TypeError(CAUSE)],
  ['something thrown that is no error', CAUSE],
  ['an error with a details field', Object.assign(new Error(CAUSE), { code: 'INVALID_ARGUMENT', details: { CAUSE } })],
])('%s is a 500 that says nothing', async (_what, error) => {
  thrown = error;
  const answer = await api.get(`${SHOP}/runs/${UNKNOWN_ID}`);
  expect(answer).toMatchObject({ status: 500, body: { error: INTERNAL } });
  expect(answer.headers['retry-after']).toBeUndefined();
  expect(JSON.stringify(answer)).not.toContain('hunter2');
});

it('the log has the cause, under the ids that the caller got', async () => {
  thrown = new Error(CAUSE);
  const { headers } = await api.get(`${SHOP}/runs/${UNKNOWN_ID}`);
  const ids = { correlation_id: headers['x-correlation-id'], trace_id: headers['x-trace-id'] };
  expect(test.telemetry.lines).toMatchObject([
    { level: 'error', message: 'request failed', fields: { ...ids, error: CAUSE } },
    { level: 'warn', message: 'request', fields: { ...ids, status: 500 } },
  ]);
});

it('what the caller did wrong is no error in the log', async () => {
  await api.get(`${SHOP}/runs/${UNKNOWN_ID}`);
  expect(test.telemetry.lines.map((line) => line.level)).toEqual(['info']);
});

it('goes on once the port is back', async () => {
  thrown = new PortError('unavailable', CAUSE);
  await api.get(`${SHOP}/runs/${UNKNOWN_ID}`);
  thrown = null;
  expect((await api.get(`${SHOP}/runs/${UNKNOWN_ID}`)).status).toBe(404);
});
