import { afterEach, beforeEach, expect, it } from 'vitest';
import { defineWorkflow } from '../../sdk/define-workflow.ts';
import { Registry } from '../../sdk/worker/registry.ts';
import { noteServed, servedHere } from '../../sdk/worker/served-here.ts';
import { ApiClient } from '../helpers/api-client.ts';
import { hold, register, SHOP } from '../helpers/api-driver.ts';
import { type TestEngine, testEngine } from '../helpers/test-engine.ts';

let test: TestEngine;
let api: ApiClient;
beforeEach(async () => {
  test = await testEngine();
  api = new ApiClient(test, { service: { servedHere: (namespace) => servedHere(test.engine, namespace) } });
});
afterEach(() => test.close());

const typesIn = async (base = SHOP): Promise<unknown> => (await api.get(`${base}/workflow-types`)).body;
const flow = (options: { readonly type: string; readonly version?: string; readonly example?: unknown }) =>
  defineWorkflow(options, async () => null);
const serve = (...options: Parameters<typeof flow>[0][]): (() => void) =>
  noteServed(test.engine, { namespace: 'shop', taskQueue: 'default', types: new Registry(options.map(flow)).served });

it('are none where nobody serves', async () => {
  expect(await typesIn()).toEqual({ workflow_types: [], complete: true });
});

it('are those of workers in the process, with their versions and an example as a client would send it', async () => {
  const end = serve(
    { type: 'order', example: { at: new Date(0) } },
    { type: 'order', version: '2' },
    { type: 'audit', version: 'a' },
  );
  const order = {
    workflow_type: 'order',
    task_queue: 'default',
    versions: ['1', '2'],
    example_input: { at: { $kagzi: 'date', value: '1970-01-01T00:00:00.000Z' } },
  };
  const audit = { workflow_type: 'audit', task_queue: 'default', versions: ['a'] };
  expect(await typesIn()).toEqual({ workflow_types: [audit, order], complete: true });
  expect(await typesIn('/v1/other')).toEqual({ workflow_types: [], complete: true });
  end();
  expect(await typesIn()).toEqual({ workflow_types: [], complete: true });
});

it('are those of workers that are online over HTTP, once for all that serve a type from a queue', async () => {
  const workerId = await register(api, { workflow_types: ['pack', 'ship'] });
  await register(api, { workflow_types: ['ship'] });
  await register(api, { workflow_types: ['ship'], task_queue: 'slow' });
  const names = async () =>
    ((await typesIn()) as { workflow_types: { workflow_type: string; task_queue: string }[] }).workflow_types.map(
      ({ workflow_type, task_queue }) => `${workflow_type} on ${task_queue}`,
    );
  expect(await names()).toEqual(['pack on default', 'ship on default', 'ship on slow']);
  await api.post(`${SHOP}/workers/${workerId}/deregister`);
  await api.post(`${SHOP}/workers/${workerId}/deregister`);
  expect(await names()).toEqual(['ship on default', 'ship on slow']);
});

it('an example that cannot be stored is refused where the workflow is defined', () => {
  expect(() => flow({ type: 'order', example: { by: () => 1 } })).toThrow(/example.by cannot be stored/);
});

it('steps are listed without their payloads if that is asked for, and nothing else is missing', async () => {
  const { path, steps, lease } = await hold(api);
  const big = 'x'.repeat(5_000);
  await api.post(`${steps}/begin`, { step_id: 'a', lease, input: { big } });
  await api.post(`${steps}/complete`, { step_id: 'a', lease, output: { big } });
  const list = async (query: string) =>
    ((await api.get(`${path}/steps${query}`)).body as { steps: Record<string, unknown>[] }).steps[0] ?? {};
  const { input, output, ...rest } = await list('');
  expect([input, output]).toEqual([{ big }, { big }]);
  expect(await list('?payloads=false')).toEqual(rest);
  expect(await list('?payloads=false&step_id=a')).toEqual(rest);
  expect(await list('?payloads=true')).toEqual({ ...rest, input, output });
});
