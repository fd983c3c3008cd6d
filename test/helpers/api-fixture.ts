import { ApiClient } from './api-client.ts';
import { bury, finished, type Held, hold, register, start } from './api-driver.ts';
import { type TestEngine, testEngine } from './test-engine.ts';

/** One of everything that a request can name. */
export interface ApiFixture {
  readonly test: TestEngine;
  readonly api: ApiClient;
  /** A run in the hands of a worker, with the step `begun` under way. */
  readonly held: Held;
  readonly pendingRunId: string;
  readonly ended: Held;
  readonly idleWorkerId: string;
  readonly deadLetterId: string;
  readonly scheduleId: string;
}

export async function apiFixture(): Promise<ApiFixture> {
  const test = await testEngine();
  const api = new ApiClient(test);
  const ended = await finished(api);
  const held = await hold(api, { external_id: 'held', input: { a: 1 } });
  await api.post(`${held.steps}/begin`, { step_id: 'begun', lease: held.lease, input: 1 });
  const pendingRunId = await start(api);
  const deadLetterId = await bury(test, api);
  const scheduleId = 'nightly';
  const times = { cron_expr: '@daily', input: { a: 1 } };
  await api.post('/v1/shop/schedules', { schedule_id: scheduleId, workflow_type: 'order', ...times });
  return { scheduleId, test, api, held, pendingRunId, ended, idleWorkerId: await register(api), deadLetterId };
}
