import assert from 'node:assert/strict';
import { greet } from '../../../../examples/hello.ts';
import { order } from '../../../../examples/order.ts';
import { reminder } from '../../../../examples/reminder.ts';
import { EVENT_BUS } from '../e2e-context.ts';
import type { E2eWorld } from '../e2e-world.ts';
import type { Scenario } from '../scenario.ts';

type Detail = Readonly<Record<string, unknown>> & { readonly run_id: string };

const SECRET = 'nobody is to read this';

const endOf = async (world: E2eWorld, runId: string): Promise<Detail> => {
  const ends = (): Detail[] =>
    world.bed.events.map(({ Detail }) => JSON.parse(Detail) as Detail).filter(({ run_id }) => run_id === runId);
  await world.bed.until(`the event of ${runId}`, () => ends().length > 0);
  const [end] = ends();
  assert.ok(end);
  return end;
};

export const EVENTS: readonly Scenario[] = [
  {
    name: 'the end of each run is an event on the bus, without its payloads; nothing else is',
    short: false,
    async run(world) {
      const { bed } = world;
      const client = world.client();
      const greeted = await client.start(greet, { name: SECRET }, { externalId: 'announced' });
      const refused = await client.start(order, { amount: 20_000 });
      const asleep = await client.start(reminder, { text: SECRET, after: '3h' });
      await bed.until('the sleep', async () => (await asleep.status()) === 'SLEEPING');
      await asleep.cancel({ reason: SECRET });
      await world.outputOf(greeted);
      await assert.rejects(refused.result(), /risky/);
      const completed = await endOf(world, greeted.runId);
      const { workflow_type, namespace, external_id, status, attempts } = completed;
      assert.deepEqual(
        { workflow_type, namespace, external_id, status, attempts },
        { workflow_type: 'greet', namespace: 'shop', external_id: 'announced', status: 'COMPLETED', attempts: 1 },
      );
      assert.ok(Date.parse(String(completed['finished_at'])) >= Date.parse(String(completed['created_at'])));
      const failed = await endOf(world, refused.runId);
      assert.equal(failed['status'], 'FAILED');
      assert.equal(typeof failed['error_code'], 'string');
      assert.equal((await endOf(world, asleep.runId))['status'], 'CANCELLED');
      assert.ok(!JSON.stringify(bed.events).includes(SECRET));
      for (const { EventBusName, Source, DetailType } of bed.events) {
        assert.ok(EventBusName?.endsWith(`event-bus/${EVENT_BUS}`));
        assert.deepEqual([Source, DetailType], ['kagzi.dev', 'Run Ended']);
      }
      const told = bed.events.map(({ Detail }) => (JSON.parse(Detail) as Detail).run_id);
      assert.equal(new Set(told).size, told.length, 'with nothing failing, each is told once');
    },
  },
];
