import { KagziError } from '../../shared/model/errors.ts';
import type { RunId } from '../../shared/model/run.ts';
import { readRun } from '../../shared/store/run-head.ts';
import { cancelRun } from '../../shared/usecases/cancel-run.ts';
import { deleteRun } from '../../shared/usecases/delete-run.ts';
import { type StartRun, startRun } from '../../shared/usecases/start-run.ts';
import { DirectWorker } from './direct-worker.ts';
import { type RunKey, Violation } from './ledger.ts';
import { NAMESPACE, TASK_QUEUE } from './place.ts';
import { PollWorker, type PollWorkerOptions } from './poll-worker.ts';
import { bulk } from './script.ts';
import type { Scenario, World } from './world.ts';

const polls = (options: PollWorkerOptions) => (world: World) => new PollWorker(world, options);
const SECOND = 1000;
const MINUTE = 60 * SECOND;

/** The client asks again under the same external id until it is answered. */
async function start(
  world: World,
  more: Partial<StartRun> = {},
  asked = 'start',
  externalId = 'order-1',
): Promise<RunKey> {
  const request = { namespace: NAMESPACE, workflowType: 'order', taskQueue: TASK_QUEUE, input: '"tea"', externalId };
  const { run } = await world.client((engine) => startRun(engine, { ...request, ...more }));
  world.ledger.startAnswered(asked, run);
  const found = await readRun(world.observer, run);
  if (found?.incarnation !== run.incarnation) throw new Violation('a start was acknowledged, but there is no run');
  return run;
}

async function cancel(world: World, run: RunId): Promise<void> {
  try {
    await world.client((engine) => cancelRun(engine, run, 'changed my mind'));
  } catch (error) {
    // The try before this one was applied, and its answer lost.
    if (!(error instanceof KagziError) || error.details['status'] !== 'CANCELLED') throw error;
  }
  const found = await readRun(world.observer, run);
  if (found?.status !== 'CANCELLED') throw new Violation(`a cancel was acknowledged, but the run is ${found?.status}`);
}

async function remove(world: World, run: RunKey): Promise<void> {
  try {
    await world.client((engine) => deleteRun(engine, run));
  } catch (error) {
    if (!(error instanceof KagziError) || error.code !== 'RUN_NOT_FOUND') throw error;
  }
  if ((await readRun(world.observer, run)) !== null) throw new Violation('a run was deleted, but is there');
}

const runToItsEnd =
  (more: Partial<StartRun> = {}) =>
  async (world: World): Promise<void> => {
    const run = await start(world, more);
    await world.drive(world.ended(run));
  };

/** Does something once, when a script first comes to it. */
function once(act: (world: World) => Promise<void>): (world: World) => Promise<void> {
  const done = new WeakSet<World>();
  return async (world) => {
    if (done.has(world)) return;
    done.add(world);
    await act(world);
  };
}

const orderId = async (world: World): Promise<RunKey> => {
  const heads = await world.options.store.heads();
  const pk = heads.find((head) => head['ext'] === 'order-1')?.pk ?? '';
  const runId = pk.slice(pk.lastIndexOf('#') + 1);
  return { namespace: NAMESPACE, runId, incarnation: '' };
};
const cancelOrder = once(async (world) => cancel(world, await orderId(world)));

export const TWO_STEPS: Scenario = {
  name: 'two steps',
  minCalls: 25,
  worker: polls({
    scripts: { order: async (run) => JSON.stringify([run.input, await run.step('charge'), await run.step('ship')]) },
  }),
  play: runToItsEnd(),
};

export const STEP_RETRIES: Scenario = {
  name: 'steps that fail once',
  moments: ['waiting'],
  minCalls: 50,
  worker: polls({
    scripts: {
      order: async (run) =>
        JSON.stringify([await run.step('charge'), await run.flaky('pack', false), await run.flaky('ship', true)]),
    },
  }),
  play: runToItsEnd(),
};

export const FINAL_FAILURE: Scenario = {
  name: 'a step that fails for good',
  minCalls: 25,
  worker: polls({
    scripts: {
      order: async (run) => {
        await run.step('charge');
        return run.failing('ship');
      },
    },
  }),
  play: runToItsEnd(),
};

export const SLEEPS: Scenario = {
  name: 'a short and a long sleep',
  moments: ['waiting'],
  minCalls: 60,
  worker: polls({
    scripts: {
      order: async (run) => {
        const charged = await run.step('charge');
        await run.sleep('nap', 20 * SECOND);
        const packed = await run.step('pack');
        await run.sleep('rest', 60 * MINUTE);
        return JSON.stringify([charged, packed, await run.step('ship')]);
      },
    },
  }),
  play: runToItsEnd(),
};

const parcel = async (run: { step(id: string): Promise<string> }): Promise<string> =>
  JSON.stringify(await run.step('wrap'));

export const CHILD: Scenario = {
  name: 'a child run',
  minCalls: 50,
  isIncidental: (stepId) => stepId.includes('.wait'),
  worker: polls({
    scripts: {
      order: async (run) =>
        JSON.stringify([await run.step('charge'), await run.child('parcel', 'parcel', '1'), await run.step('ship')]),
      parcel,
    },
  }),
  play: runToItsEnd(),
};

export const CHILD_CANCELLED: Scenario = {
  name: 'a parent cancelled while its child runs',
  minCalls: 50,
  // A crash in the middle of the cancel leaves the child to the watchdog: by then it may have completed.
  isRaced: (run) => run.parent !== null,
  isIncidental: (stepId) => stepId.includes('.wait'),
  worker: (world) =>
    new PollWorker(world, {
      scripts: {
        order: async (run) => JSON.stringify(await run.child('parcel', 'parcel', '1')),
        parcel: async (run) => JSON.stringify(await run.step('wrap', { during: () => cancelOrder(world) })),
      },
    }),
  play: runToItsEnd(),
};

export const LARGE_PAYLOADS: Scenario = {
  name: 'payloads in blobs and items',
  minCalls: 28,
  worker: polls({
    scripts: {
      order: async (run) => {
        const large = await run.step('large', { size: 20_000 }, { input: JSON.stringify(bulk(20_000)) });
        const medium = await run.step('medium', { size: 3_000 });
        return JSON.stringify([run.input?.length, large, medium]);
      },
    },
  }),
  play: runToItsEnd({ input: JSON.stringify(bulk(20_000)) }),
};

export const DIRECT: Scenario = {
  name: 'a direct worker',
  direct: true,
  minCalls: 15,
  worker: (world) =>
    new DirectWorker(world, {
      order: async (run) => {
        const charged = await run.step('charge');
        const packed = await run.step('pack', { takesMs: 40 * SECOND });
        return JSON.stringify([charged, packed, await run.step('large', { size: 20_000 })]);
      },
    }),
  play: runToItsEnd(),
};

export const RELEASE: Scenario = {
  name: 'a run given back',
  moments: ['waiting'],
  minCalls: 35,
  worker: polls({
    scripts: {
      order: async (run) => {
        const charged = await run.step('charge');
        await run.releaseOnce(5 * SECOND);
        return JSON.stringify([charged, await run.step('ship')]);
      },
    },
  }),
  play: runToItsEnd(),
};

export const CANCEL: Scenario = {
  name: 'a cancel in the middle',
  minCalls: 25,
  worker: (world) =>
    new PollWorker(world, {
      scripts: {
        order: async (run) => {
          await run.step('charge');
          await run.step('pack', { during: () => cancelOrder(world) });
          return JSON.stringify(await run.step('ship'));
        },
      },
    }),
  play: runToItsEnd(),
};

export const DELETE: Scenario = {
  name: 'a finished run deleted and started anew',
  moments: ['reborn'],
  minCalls: 50,
  worker: polls({
    scripts: {
      order: async (run) => JSON.stringify([run.input, await run.step('charge', { size: 20_000 })]),
    },
  }),
  play: async (world) => {
    const first = await start(world);
    await world.drive(world.ended(first));
    // Requests name the id alone: a start or a delete that comes late would be for whatever is there by then.
    await world.drive(async () => !world.hasLateRequest);
    await remove(world, first);
    await world.drive(async () => !world.hasLateRequest);
    const second = await start(world, { input: '"coffee"' }, 'second start');
    if (second.incarnation === first.incarnation) throw new Violation('the deleted run came back');
    await world.drive(world.ended(second));
  },
};

export const DELAYED_START: Scenario = {
  name: 'a delayed start',
  minCalls: 25,
  worker: polls({ scripts: { order: async (run) => JSON.stringify(await run.step('charge')) } }),
  play: async (world) => {
    const startAt = world.now() + 20 * MINUTE;
    const run = await start(world, { startAt });
    const soon = await start(world, { startAt: world.now() + 10 * SECOND }, 'soon', 'order-2');
    await world.drive(world.ended(soon));
    await world.drive(world.ended(run));
    const { startedAt } = (await readRun(world.observer, run)) ?? { startedAt: null };
    if (startedAt === null || startedAt < startAt) throw new Violation('a delayed start was early');
  },
};

export const RUN_RETRY: Scenario = {
  name: 'a run that fails once',
  moments: ['waiting'],
  minCalls: 40,
  worker: polls({
    scripts: {
      order: async (run) => {
        const charged = await run.step('charge');
        await run.failOnce();
        return JSON.stringify([charged, await run.step('ship')]);
      },
    },
  }),
  play: runToItsEnd(),
};

export const SAME_EXTERNAL_ID: Scenario = {
  name: 'one external id, many starts',
  minCalls: 30,
  worker: polls({ scripts: { order: async (run) => JSON.stringify([run.input, await run.step('charge')]) } }),
  play: async (world) => {
    const [run] = await Promise.all([start(world), start(world)]);
    await start(world, { input: '"another"' });
    await world.drive(world.ended(run));
    await start(world);
  },
};

export const HEARTBEATS: Scenario = {
  name: 'a body longer than a lease, kept alive by heartbeats',
  minCalls: 50,
  worker: polls({
    sameHost: true,
    scripts: {
      order: async (run) =>
        JSON.stringify([await run.step('charge', { takesMs: 70 * SECOND }), await run.step('ship')]),
    },
  }),
  play: runToItsEnd(),
};

const PACKED_STEPS = 205;

/** A first worker records more steps than are kept loose and dies in the middle of one; then the faults begin. */
export const PACKED: Scenario = {
  name: 'a packed history after a takeover',
  slow: true,
  minCalls: 50,
  worker: (world) =>
    new PollWorker(world, {
      ignoresHistory: true,
      scripts: {
        order: async (run) => {
          if (run.run.epoch === 1) await run.record(Array.from({ length: PACKED_STEPS }, (_, i) => `s${i}`));
          const known = [await run.step('s0'), await run.step(`s${PACKED_STEPS - 1}`)];
          const half = await run.step('half', { during: () => abandonOnce(world) });
          await run.sleep('nap', 10 * SECOND);
          return JSON.stringify([...known, half, await run.step('last')]);
        },
      },
    }),
  play: async (world) => {
    world.options.faults.disarm();
    const run = await start(world);
    await world.drive(world.ended(run));
  },
};
const abandonOnce = once(async (world) => {
  world.options.faults.arm();
  world.abandonWorker();
  await new Promise(() => undefined);
});

export const SCENARIOS: readonly Scenario[] = [
  TWO_STEPS,
  STEP_RETRIES,
  FINAL_FAILURE,
  SLEEPS,
  CHILD,
  CHILD_CANCELLED,
  LARGE_PAYLOADS,
  DIRECT,
  RELEASE,
  CANCEL,
  DELETE,
  DELAYED_START,
  RUN_RETRY,
  SAME_EXTERNAL_ID,
  HEARTBEATS,
  PACKED,
];
