import { afterEach, beforeEach, expect, it } from 'vitest';
import { ApiClient } from '../helpers/api-client.ts';
import { errorOf, hold, SHOP, start, UNKNOWN_ID } from '../helpers/api-driver.ts';
import { type TestEngine, testEngine } from '../helpers/test-engine.ts';

let test: TestEngine;
let api: ApiClient;
beforeEach(async () => {
  test = await testEngine();
  api = new ApiClient(test);
});
afterEach(() => test.close());

const IDS = [
  'a/b',
  'a b',
  ' ',
  '100%',
  '%2F',
  '%',
  'a#b?c=d&e=f',
  '..',
  '.',
  'a+b',
  'größe/日本語',
  '👩‍👩‍👧‍👦',
  '__proto__',
  'constructor',
  '"quoted"\\',
  'begin',
  'step#x#0#y',
  '\u00a0\u202e\ufeff',
  'x'.repeat(200),
  '💥'.repeat(100),
];

it.each(IDS)('the step id %j works in every call and comes back as it is', async (id) => {
  const { path, steps, step, lease } = await hold(api);
  expect((await api.post(`${steps}/begin`, { step_id: id, lease, input: 1 })).body).toMatchObject({ step_id: id });
  expect((await api.post(`${steps}/complete`, { step_id: id, lease, output: id })).body).toMatchObject({ step_id: id });
  expect((await api.get(step(id))).body).toMatchObject({ step_id: id, output: id });
  const found = await api.get(`${path}/steps?step_id=${encodeURIComponent(id)}`);
  expect(found.body).toMatchObject({ steps: [{ step_id: id }] });
});

it.each(IDS)('the external id %j means one run, and the list finds it', async (external_id) => {
  const runId = await start(api, { external_id });
  expect(await start(api, { external_id })).toBe(runId);
  expect((await api.get(`${SHOP}/runs/${runId}`)).body).toMatchObject({ external_id });
  const found = await api.get(`${SHOP}/runs?external_id=${encodeURIComponent(external_id)}`);
  expect(found.body).toMatchObject({ runs: [{ run_id: runId, external_id }] });
});

it.each(IDS)('a sleep may be called %j', async (step_id) => {
  const { path, step, lease } = await hold(api);
  const slept = await api.post(`${path}/sleep`, { lease, step_id, duration_ms: 0 });
  expect(slept.body).toMatchObject({ step_id, elapsed: true, status: 'RUNNING' });
  expect((await api.get(step(step_id))).body).toMatchObject({ step_id, kind: 'SLEEP', status: 'COMPLETED' });
});

it('ids that differ are different steps, however alike they look', async () => {
  const { path, steps, step, lease } = await hold(api);
  const alike = ['a', 'A', 'a ', 'é', 'e\u0301', 'a/b', 'a%2Fb', '1', '01'];
  for (const id of alike) await api.post(`${steps}/begin`, { step_id: id, lease, input: id });
  for (const id of alike) expect((await api.get(step(id))).body).toMatchObject({ step_id: id, input: id });
  const { body } = await api.get(`${path}/steps`);
  expect((body as { readonly steps: readonly unknown[] }).steps).toHaveLength(alike.length);
});

it('a namespace may be called like a path of the API', async () => {
  const runId = await start(api, {}, '/v1/namespaces');
  expect((await api.get(`/v1/namespaces/runs/${runId}`)).body).toMatchObject({ namespace: 'namespaces' });
  expect((await api.get('/v1/namespaces')).body).toMatchObject({ namespaces: [{ name: 'namespaces' }] });
});

it('a path that cannot be decoded, or has an empty part, is not found', async () => {
  for (const path of ['/v1/shop/runs/%', '/v1/shop/runs/%ff', '/v1//runs', `/v1/shop/runs/${UNKNOWN_ID}/step/`, '//']) {
    expect(errorOf(await api.get(path)).code).toBe('ROUTE_NOT_FOUND');
  }
});

it('a worker keeps names, labels and types as they are', async () => {
  const given = {
    name: 'größe 日本語 👩‍👩‍👧‍👦',
    hostname: 'a/b#c%d',
    version: '__proto__',
    workflow_types: ['constructor', 'a:b/c.d-e_f'],
    labels: { constructor: 'a\0b\ud800', 'k8s.io/zone': '' },
    workflow_type_concurrency: { constructor: 3, toString: 4 },
  };
  const registered = await api.post(`${SHOP}/workers`, given);
  expect(registered.body).toMatchObject({ worker: given });
  const { worker_id } = registered.body as { readonly worker_id: string };
  expect((await api.get(`${SHOP}/workers/${worker_id}`)).body).toMatchObject(given);
});
