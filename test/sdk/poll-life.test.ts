import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ApiError, CancelledError, createWorker, defineWorkflow, InvalidArgumentError } from '../../sdk/index.ts';
import { readRun } from '../../shared/store/run-head.ts';
import { recordStart } from '../../shared/usecases/record-start.ts';
import { type ChildScript, startScript } from '../helpers/child-script.ts';
import { gate, PollWorld, until } from '../helpers/poll-world.ts';

let world: PollWorld;
const scripts: ChildScript[] = [];
beforeEach(async () => {
  world = await PollWorld.open();
});
afterEach(async () => {
  for (const script of scripts.splice(0)) await script.kill();
  await world.close();
});

/** As the script has them; only their names matter here. */
const flow = defineWorkflow({ type: 'flow' }, async () => 0);
const once = defineWorkflow({ type: 'once' }, async () => '');

function startWorker(mode: 'hang' | 'go'): ChildScript {
  const script = startScript('poll-worker-script.ts', [world.url, mode]);
  scripts.push(script);
  return script;
}
const printed = (script: ChildScript, line: string): Promise<void> => until(() => script.lines.includes(line));

describe('a worker that is killed in the middle of a step', () => {
  it('is followed by another, which repeats no completed step', async () => {
    const handle = await world.client.start(flow);
    const first = startWorker('hang');
    await printed(first, 'second');
    await first.kill();
    const second = startWorker('go');
    expect(await handle.result()).toBe(6);
    expect(first.lines).toEqual(['started', 'first', 'second']);
    expect(second.lines).toEqual(['started', 'second']);
  });

  it('leaves a step that may run at most once interrupted', async () => {
    const handle = await world.client.start(once);
    const first = startWorker('hang');
    await printed(first, 'charge');
    await first.kill();
    const second = startWorker('go');
    expect(await handle.result()).toBe('STEP_INTERRUPTED');
    expect(second.lines).toEqual(['started']);
  });
});

it('does not run a step that may run at most once and that a former owner has begun since the history was read', async () => {
  const bodies: string[] = [];
  const late = defineWorkflow({ type: 'late' }, async (ctx) => {
    await ctx.step('first', async () => {
      const run = await readRun(world.engine, ctx.run);
      if (run?.status !== 'RUNNING') throw new Error('the run is not held');
      const former = { ...run, epoch: 0, lease: { ...run.lease, token: 'former' } };
      await recordStart(world.engine, former, { stepId: 'charge', attempt: 1, startedAt: run.createdAt });
    });
    const charge = ctx.step('charge', () => void bodies.push('charge'), { atMostOnce: true });
    return charge.then(
      () => 'charged',
      (error: { readonly code: string }) => error.code,
    );
  });
  world.serve([late]);
  expect(await (await world.client.start(late)).result()).toBe('STEP_INTERRUPTED');
  expect(bodies).toEqual([]);
});

describe('a worker that is told to stop', () => {
  it('finishes what it holds and exits 0', async () => {
    const handle = await world.client.start(flow);
    const script = startWorker('go');
    const exited = new Promise((resolve) => script.process.once('exit', resolve));
    await printed(script, 'second');
    script.process.kill('SIGTERM');
    expect(await exited).toBe(0);
    await until(() => script.lines.includes('stopped'));
    expect(await handle.status()).toBe('COMPLETED');
    expect(await world.get('/workers')).toMatchObject({ workers: [{ status: 'OFFLINE', total_completed: 1 }] });
  });

  it('gives back at its deadline what it could not finish, and another goes on', async () => {
    const begun = gate();
    let hangs = true;
    const stuck = defineWorkflow({ type: 'stuck' }, async (ctx) =>
      ctx.step('a', ({ signal }) => {
        begun.open();
        return hangs ? new Promise((resolve) => signal.addEventListener('abort', () => resolve('cut'))) : 'done';
      }),
    );
    const handle = await world.client.start(stuck);
    const first = world.serve([stuck], { drainTimeout: 400 });
    await begun.opened;
    await first.stop();
    hangs = false;
    expect((await handle.get()).status).toBe('PENDING');
    world.serve([stuck]);
    expect(await handle.result()).toBe('done');
  });

  it('by the engine, finishes and stops; while the engine itself drains, it waits', async () => {
    const quick = defineWorkflow({ type: 'quick' }, async (ctx) => ctx.step('a', () => 1));
    await world.post('/admin/drain');
    const handle = await world.client.start(quick);
    const worker = world.serve([quick]);
    const shown = () =>
      world.get<{ workers: { worker_id: string; registered_at: string; last_heartbeat_at: string }[] }>('/workers');
    await until(async () => (await shown()).workers.some((one) => one.last_heartbeat_at > one.registered_at));
    expect(await handle.status()).toBe('PENDING');
    await world.post('/admin/drain', { drain: false });
    expect(await handle.result()).toBe(1);
    const [one] = (await shown()).workers;
    await world.post(`/v1/default/workers/${one?.worker_id}/deregister`, { drain: true });
    await worker.done;
    expect(await world.get('/workers')).toMatchObject({ workers: [{ status: 'OFFLINE' }] });
  });
});

it('is not given a version that it lacks; the worker that has it serves it', async () => {
  const version = (name: string) => defineWorkflow({ type: 'flow', version: name }, async () => name);
  const old = world.serve([version('1')]);
  const waiting = await world.client.start(version('2'));
  // It has polled since.
  expect(await (await world.client.start(version('1'))).result()).toBe('1');
  expect(await readRun(world.engine, { namespace: 'default', runId: waiting.runId })).toMatchObject({ epoch: 0 });
  world.serve([version('2'), version('3')]);
  expect(await waiting.result()).toBe('2');
  await old.stop();
});

it('keeps its limits, of runs and of runs of a type', async () => {
  const active = { all: 0, slow: 0 };
  const most = { all: 0, slow: 0 };
  const hold = async (type: 'slow' | 'fast'): Promise<void> => {
    active.all += 1;
    if (type === 'slow') active.slow += 1;
    most.all = Math.max(most.all, active.all);
    most.slow = Math.max(most.slow, active.slow);
    await new Promise((resolve) => setTimeout(resolve, 60));
    active.all -= 1;
    if (type === 'slow') active.slow -= 1;
  };
  const slow = defineWorkflow({ type: 'slow' }, async (ctx) => ctx.step('a', () => hold('slow')));
  const fast = defineWorkflow({ type: 'fast' }, async (ctx) => ctx.step('a', () => hold('fast')));
  const handles = await Promise.all([slow, slow, slow, fast, fast, fast, fast].map((flow) => world.client.start(flow)));
  world.serve([slow, fast], { maxConcurrent: 3, workflowTypeConcurrency: { slow: 1 } });
  await Promise.all(handles.map((handle) => handle.result()));
  expect(most.slow).toBe(1);
  expect(most.all).toBeLessThanOrEqual(3);
});

it('outlives a restart of its engine, with what it had begun', async () => {
  const begun = gate();
  const back = gate();
  let bodies = 0;
  const steady = defineWorkflow({ type: 'steady' }, async (ctx) => {
    const a = await ctx.step('a', async () => {
      bodies += 1;
      begun.open();
      await back.opened;
      return 1;
    });
    return a + (await ctx.step('b', () => 1));
  });
  await world.close();
  world = await PollWorld.open({ KAGZI_LEASE_SECS: '60', KAGZI_WATCHDOG_WORKER_STALE_THRESHOLD_SECS: '60' });
  world.serve([steady]);
  const handle = await world.client.start(steady);
  await begun.opened;
  await world.restart();
  back.open();
  expect(await handle.result()).toBe(2);
  expect(await (await world.client.start(steady)).result()).toBe(2);
  expect(bodies).toBe(2);
});

it('registers again when the engine counts it as gone, and drops what it held', async () => {
  const begun = gate();
  let hangs = true;
  let aborted = 0;
  const lost = defineWorkflow({ type: 'lost' }, async (ctx) =>
    ctx.step('a', ({ signal }) => {
      begun.open();
      if (!hangs) return 'done';
      hangs = false;
      return new Promise<string>((resolve) =>
        signal.addEventListener('abort', () => {
          aborted += 1;
          resolve('late');
        }),
      );
    }),
  );
  world.serve([lost]);
  const handle = await world.client.start(lost);
  await begun.opened;
  const { workers } = await world.get<{ workers: { worker_id: string }[] }>('/workers');
  await world.post(`/v1/default/workers/${workers[0]?.worker_id}/deregister`);
  expect(await handle.result()).toBe('done');
  expect(aborted).toBe(1);
  expect((await world.get<{ workers: unknown[] }>('/workers')).workers).toHaveLength(2);
});

it('stops the body of a run that is cancelled at once', async () => {
  const begun = gate();
  const stopped = gate();
  const reasons: unknown[] = [];
  const long = defineWorkflow({ type: 'long' }, async (ctx) =>
    ctx.step('a', ({ signal }) => {
      signal.addEventListener('abort', () => {
        reasons.push(signal.reason);
        stopped.open();
      });
      begun.open();
      return new Promise(() => undefined);
    }),
  );
  world.serve([long]);
  const handle = await world.client.start(long);
  await begun.opened;
  await handle.cancel();
  await stopped.opened;
  expect(await handle.status()).toBe('CANCELLED');
  expect(reasons).toEqual([expect.any(CancelledError)]);
});

it('serves beside another worker of the same process, neither replacing the other', async () => {
  const quick = defineWorkflow({ type: 'quick' }, async (ctx) => ctx.step('a', () => 1));
  world.serve([quick], { name: 'one' });
  world.serve([quick], { name: 'two' });
  await until(() => world.log.filter(({ message }) => message.includes('registered')).length === 2);
  const handles = await Promise.all(Array.from({ length: 6 }, () => world.client.start(quick)));
  await Promise.all(handles.map((handle) => handle.result()));
  expect(await world.get('/workers?status=ONLINE&include_total_count=true')).toMatchObject({ total_count: 2 });
});

it('waits for an engine that is not there yet, and can be stopped meanwhile', async () => {
  const worker = world.serve([flow], { url: 'http://127.0.0.1:9' });
  await world.logged('could not register');
  await worker.stop();
});

it('gives up if the engine refuses it, and refuses limits that make no sense', async () => {
  const worker = world.serve([flow], { taskQueue: 'no such queue' });
  await expect(worker.done).rejects.toThrow(ApiError);
  const make = (limit: number) => () =>
    createWorker({ workflows: [flow] }).poll({ url: world.url, workflowTypeConcurrency: { flow: limit } });
  expect(make(0)).toThrow(InvalidArgumentError);
  expect(make(1.5)).toThrow('workflowTypeConcurrency: flow: 1.5 is not a whole number');
});
