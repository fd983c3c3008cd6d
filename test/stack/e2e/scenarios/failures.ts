import assert from 'node:assert/strict';
import { createWorker, defineWorkflow } from '../../../../sdk/index.ts';
import { POLLED_QUEUE } from '../e2e-context.ts';
import type { E2eWorld } from '../e2e-world.ts';
import type { Scenario } from '../scenario.ts';

const MINUTE = 60_000;
/** Takeovers without progress until a run is given up. */
const TAKEOVERS = 6;
const STEP_MS = 3_000;

let isBroken = true;
const flaky = defineWorkflow({ type: 'flaky', retry: { attempts: 2, initial: '1s' } }, async (ctx) => {
  const hopeless = await ctx
    .step('hopeless', () => Promise.reject(new Error('never')), { retry: { attempts: 2, initial: '1s' } })
    .catch(() => 'failed');
  const wasBroken = isBroken;
  isBroken = false;
  if (wasBroken) throw new Error('the function itself, the first time');
  return { hopeless };
});

/** Takes a run as a worker of which nothing is heard from then on. */
async function takeAndFallSilent(world: E2eWorld, runId: string): Promise<void> {
  const registration = { task_queue: POLLED_QUEUE, workflow_types: ['stuck'] };
  const { worker_id } = await world.api().call<{ worker_id: string }>({ path: '/workers', body: registration });
  for (let polls = 0; polls < 20; polls += 1) {
    const { task } = await world.api().call<{ task: { readonly run_id: string } | null }>({
      path: `/task-queues/${POLLED_QUEUE}/poll`,
      body: { worker_id, timeout_secs: 1 },
    });
    if (task?.run_id === runId) return;
    await world.bed.pass(1_000);
    await world.api().call({ path: `/workers/${worker_id}/heartbeat`, body: {} });
  }
  throw new Error(`nobody was given ${runId}`);
}

export const FAILURES: readonly Scenario[] = [
  {
    name: 'a step that fails is tried again and fails for good; a run that fails is tried again and ends',
    short: false,
    async run(world) {
      isBroken = true;
      const worker = createWorker({
        workflows: [flaky],
        taskQueue: POLLED_QUEUE,
        namespace: 'shop',
        log: () => undefined,
      }).poll({ ...world.connection(), signals: false });
      try {
        const handle = await world.client().start(flaky, undefined, { taskQueue: POLLED_QUEUE });
        assert.deepEqual(await world.passUntilEnd(handle, 2 * MINUTE, 1_000), { hopeless: 'failed' });
        const [step] = await handle.steps();
        assert.deepEqual([step?.status, step?.attempt], ['FAILED', 2]);
        assert.equal((await handle.get()).attempts, 2);
      } finally {
        await worker.stop();
      }
      await world.untilCounted('steps_retried', 'steps_failed', 'runs_retried');
    },
  },
  {
    name: 'a poll worker that goes silent loses its run; a run that silences worker after worker is given up',
    short: false,
    async run(world) {
      const body = { workflow_type: 'stuck', task_queue: POLLED_QUEUE };
      const { run_id } = await world.api().call<{ run_id: string }>({ path: '/runs', body });
      const handle = world.client().run(run_id);
      for (let taken = 1; taken <= TAKEOVERS; taken += 1) {
        await takeAndFallSilent(world, run_id);
        assert.equal(await handle.status(), 'RUNNING');
        await world.passUntil('a takeover', async () => (await handle.status()) !== 'RUNNING', 3 * MINUTE, STEP_MS);
        assert.equal(await handle.status(), taken < TAKEOVERS ? 'PENDING' : 'FAILED', `after ${taken} takeovers`);
      }
      assert.equal((await handle.get()).error?.code, 'STALLED');
      const { workers } = await world
        .api()
        .call<{ workers: readonly { readonly status: string }[] }>({ path: '/workers', query: { status: 'OFFLINE' } });
      assert.ok(workers.length >= TAKEOVERS);
      // The watchdog writes what it counted when it is relieved.
      await world.bed.pass(2 * MINUTE, STEP_MS);
      await world.untilCounted('workers_stale', 'runs_stalled');
    },
  },
];
