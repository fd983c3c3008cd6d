import assert from 'node:assert/strict';
import { greet } from '../../../../examples/hello.ts';
import { order } from '../../../../examples/order.ts';
import { large } from '../large-payload.ts';
import type { Scenario } from '../scenario.ts';

export const RUNS: readonly Scenario[] = [
  {
    name: 'an application starts a run over HTTP, signed; a worker function runs it from its queue',
    short: true,
    async run(world) {
      const handle = await world.client().start(greet, { name: 'Ada' }, { externalId: 'ada' });
      const again = await world.client().start(greet, { name: 'Ada' }, { externalId: 'ada' });
      assert.equal(again.runId, handle.runId);
      const { greeting } = (await world.outputOf(handle)) as { readonly greeting: string };
      assert.equal(greeting, 'Hello, Ada!');
      const steps = await handle.steps();
      assert.deepEqual(
        steps.map(({ stepId, status }) => [stepId, status]),
        [
          ['compose', 'COMPLETED'],
          ['think', 'COMPLETED'],
          ['send', 'COMPLETED'],
        ],
      );
    },
  },
  {
    name: 'branches, retries and a child run',
    short: false,
    async run(world) {
      const handle = await world.client().start(order, { amount: 42 });
      const output = (await world.outputOf(handle)) as { readonly charged: number; readonly parcel: string };
      assert.equal(output.charged, 42);
      assert.equal(output.parcel, 'parcel of book');
      const risky = await world.client().start(order, { amount: 20_000 });
      await assert.rejects(risky.result(), /risky/);
    },
  },
  {
    name: 'a payload too large for the table goes to the bucket and comes back; it goes with its run',
    short: true,
    async run(world) {
      const name = large();
      const handle = await world.client().start(greet, { name });
      const { greeting } = (await world.outputOf(handle)) as { readonly greeting: string };
      assert.equal(greeting, `Hello, ${name}!`);
      await world.api().call({ method: 'DELETE', path: `/runs/${handle.runId}` });
      await assert.rejects(handle.get(), { code: 'RUN_NOT_FOUND' });
    },
  },
];
