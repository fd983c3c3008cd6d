import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ApiError, type Client, createClient, createWorker, defineWorkflow } from '../../sdk/index.ts';
import { replay } from '../../sdk/testing/index.ts';
import type { RunningWorker } from '../../sdk/worker/embedded-worker.ts';
import { PollWorld } from '../helpers/poll-world.ts';

const NOBODY = '00000000-0000-7000-8000-000000000000';
const rich = { at: new Date(0), tags: new Set(['a']), big: 10n };

const flow = defineWorkflow({ type: 'flow', input: z.object({ n: z.number().default(7) }) }, async (ctx, { n }) =>
  ctx.step('a', () => ({ n, ...rich })),
);
const changed = defineWorkflow({ type: 'flow', input: z.object({ n: z.number().default(7) }) }, async (ctx, { n }) =>
  ctx.step('b', () => ({ n, ...rich })),
);
const unserved = defineWorkflow({ type: 'unserved' }, async () => 1);
const other = defineWorkflow({ type: 'other' }, async () => 1);

let world: PollWorld;
let worker: RunningWorker;
beforeAll(async () => {
  world = await PollWorld.open();
  worker = createWorker({ workflows: [flow, other], log: () => undefined }).embedded(world.engine);
});
afterAll(async () => {
  await worker.stop(0);
  await world.close();
});

const clients: readonly (readonly [string, () => Client])[] = [
  ['embedded', () => createClient({ embedded: world.engine })],
  ['over HTTP', () => createClient({ url: world.url })],
];

describe.each(clients)('a client %s', (_way, connect) => {
  it('shows values as they were, and the external id only if there is one', async () => {
    const run = await connect().start(flow, {});
    const output = { n: 7, ...rich };
    expect(await run.result()).toEqual(output);
    expect(await run.get()).toMatchObject({ input: {}, output, externalId: null, status: 'COMPLETED' });
    expect(await run.steps()).toMatchObject([{ stepId: 'a', status: 'COMPLETED', output }]);
    expect((await connect().run(run.runId.toUpperCase()).get()).runId).toBe(run.runId);
  });

  it('exports a run that can be replayed, defaults of its schema included', async () => {
    const run = await connect().start(flow, {});
    await run.result();
    const history = await run.export();
    expect(await replay(history, flow)).toMatchObject({ ended: 'completed' });
    await expect(replay(history, changed)).rejects.toMatchObject({ code: 'NON_DETERMINISTIC' });
    expect(await replay(JSON.parse(JSON.stringify(history)) as typeof history, flow)).toMatchObject({ steps: 2 });
  });

  it('waits for a result no longer than it is told, fractions of a millisecond included', async () => {
    const run = await connect().start(unserved);
    await expect(run.result({ timeout: 50.5 })).rejects.toMatchObject({ code: 'RESULT_TIMEOUT' });
    await expect(run.result({ timeout: 100 })).rejects.toThrow('is still PENDING');
    await run.cancel();
  });

  it('refuses with the same class, code and status', async () => {
    const client = connect();
    await expect(client.run(NOBODY).get()).rejects.toThrow(ApiError);
    await expect(client.run(NOBODY).get()).rejects.toMatchObject({ code: 'RUN_NOT_FOUND', status: 404 });
    await client.start(other, undefined, { externalId: 'one' });
    await expect(client.start(flow, {}, { externalId: 'one' })).rejects.toMatchObject({
      code: 'EXTERNAL_ID_CONFLICT',
      status: 409,
      details: { workflow_type: 'other' },
    });
  });

  it.each<[string, (client: Client) => unknown, string]>([
    ['a run id', (client) => client.run('nope'), '"nope" is no run id'],
    ['a status', (client) => client.list({ status: 'BOGUS' as 'FAILED' }).next(), 'status: "BOGUS" is none of PENDING'],
    ['a filter', (client) => client.list({ type: 'x' } as object).next(), 'there is no option "type"'],
    ['a workflow', (client) => client.start('flow' as unknown as typeof other), 'start: "flow" is no workflow'],
    [
      'an option',
      (client) => client.start(other, undefined, { externalID: '1' } as object),
      'Did you mean `externalId`?',
    ],
    ['a delay', (client) => client.start(other, undefined, { delay: 'soon' as '1s' }), 'delay: "soon" is no duration'],
    ['a timeout', (client) => client.run(NOBODY).result({ timeout: -1 }), 'timeout: -1 is no duration'],
    ['a grace', (client) => client.run(NOBODY).cancel({ grace: 'x' as '1s' }), 'grace: "x" is no duration'],
  ])('refuses %s that cannot be, before it asks the engine', async (_what, call, message) => {
    await expect((async () => call(connect()))()).rejects.toThrow(message);
  });
});
