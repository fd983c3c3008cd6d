import assert from 'node:assert/strict';
import { greet } from '../../../../examples/hello.ts';
import { reminder } from '../../../../examples/reminder.ts';
import { createWorker, defineWorkflow } from '../../../../sdk/index.ts';
import { POLLED_QUEUE } from '../e2e-context.ts';
import type { Scenario } from '../scenario.ts';

const polled = defineWorkflow({ type: 'greet' }, async (ctx, input: { readonly name: string }) => {
  const greeting = await ctx.parallel({ one: (branch) => branch.step('compose', () => `Hello, ${input.name}!`) });
  await ctx.sleep('think', '6s');
  return {
    ...(await ctx.step('send', () => ({ greeting: greeting.one }))),
    child: await ctx.call('child', polledChild, undefined),
  };
});
const polledChild = defineWorkflow({ type: 'polled-child' }, async (ctx) => ctx.step('one', () => 1));

export const CALLS: readonly Scenario[] = [
  {
    name: 'a poll worker does the same over HTTP, signed',
    short: true,
    async run(world) {
      const worker = createWorker({
        workflows: [polled, polledChild],
        taskQueue: POLLED_QUEUE,
        namespace: 'shop',
        log: () => undefined,
      }).poll({ ...world.connection(), signals: false });
      try {
        const elsewhere = await world.client().start(greet, { name: 'Edsger' });
        const handle = await world.client().start(greet, { name: 'Edsger' }, { taskQueue: POLLED_QUEUE });
        await world.bed.until('the sleep', async () => (await handle.status()) === 'SLEEPING');
        await world.bed.pass(6_000, 6_000);
        const { greeting, child } = (await world.outputOf(handle)) as { greeting: string; child: number };
        assert.equal(greeting, 'Hello, Edsger!');
        assert.equal(child, 1);
        const workers = await world.api().call<{ workers: readonly unknown[] }>({ path: '/workers' });
        assert.equal(workers.workers.length, 1);
        const queues = await world.api().call<{ task_queues: readonly unknown[] }>({ path: '/task-queues' });
        assert.equal(queues.task_queues.length, 2);
        await world.outputOf(elsewhere);
      } finally {
        await worker.stop();
      }
    },
  },
  {
    name: 'cancel ends a sleeping run, and its schedule goes',
    short: true,
    async run(world) {
      const { book } = world.bed.standIns.scheduler;
      const before = book.list({}).schedules.length;
      const handle = await world.client().start(reminder, { text: 'never', after: '3h' });
      await world.bed.until('the sleep', async () => (await handle.status()) === 'SLEEPING');
      await world.bed.until('its schedule', () => book.list({}).schedules.length === before + 1);
      await handle.cancel({ reason: 'not wanted any more' });
      assert.equal(await handle.status(), 'CANCELLED');
      await world.bed.until('the end of the schedule', () => book.list({}).schedules.length === before);
    },
  },
  {
    name: 'lists are paged, newest first',
    short: true,
    async run(world) {
      const start = { workflow_type: 'listed', task_queue: POLLED_QUEUE };
      const started: string[] = [];
      for (let n = 0; n < 5; n += 1) {
        const { run_id } = await world.api().call<{ run_id: string }>({ path: '/runs', body: start });
        started.unshift(run_id);
      }
      const listed: string[] = [];
      for (let token: string | null = ''; token !== null; ) {
        const query = { workflow_type: 'listed', page_size: 2, ...(token === '' ? {} : { page_token: token }) };
        const page: { runs: readonly { run_id: string }[]; next_page_token: string | null } = await world
          .api()
          .call({ path: '/runs', query });
        assert.ok(page.runs.length <= 2);
        listed.push(...page.runs.map(({ run_id }) => run_id));
        token = page.next_page_token;
      }
      assert.deepEqual(listed, started);
      for (const runId of started) await world.client().run(runId).cancel();
    },
  },
];
