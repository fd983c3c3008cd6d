// A worker over plain HTTP: node examples/http-worker.mjs, while `npm start` runs.
// It serves the workflow "http-order": two steps with a sleep between them. Kill it, or the server, at any point.
import { hostname } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';

const base = `${process.env.KAGZI_URL ?? 'http://127.0.0.1:8750'}/v1/default`;
const token = process.env.KAGZI_API_TOKEN;
const chargeMs = Number(process.env.CHARGE_MS ?? 5_000);

async function call(path, body) {
  const response = await fetch(base + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token ? { authorization: `Bearer ${token}` } : {}) },
    body: JSON.stringify(body),
  });
  const answer = await response.json();
  if (!response.ok) throw Object.assign(new Error(answer.error.message), answer.error);
  return answer;
}

/** The run waits in the engine now: this worker holds it no longer. */
class PutDown extends Error {}

/** A step is executed only if it has no result yet; a failure is tried again by the retry policy. */
async function step(task, id, body) {
  const path = `/runs/${task.run_id}/steps`;
  const which = { lease: task.lease, step_id: id };
  const begun = await call(`${path}/begin`, which);
  if (begun.next_retry_at !== null) throw new PutDown();
  if (begun.step.status === 'FAILED') throw failedStep(id, begun.step.error);
  if (!begun.should_execute) return begun.cached_output;
  let output;
  try {
    output = await body(begun.idempotency_key);
  } catch (error) {
    const failed = await call(`${path}/fail`, { ...which, error: { code: error.name, message: error.message } });
    if (failed.scheduled_retry) throw new PutDown();
    throw failedStep(id, failed.step.error);
  }
  await call(`${path}/complete`, { ...which, output });
  return output;
}

const failedStep = (id, { code, message }) => Object.assign(new Error(message), { code, failedStepId: id });

async function sleep(task, id, duration_ms) {
  const { elapsed } = await call(`/runs/${task.run_id}/sleep`, { lease: task.lease, step_id: id, duration_ms });
  if (!elapsed) throw new PutDown();
}

async function order(task) {
  const amount = task.input?.amount ?? 1;
  const receipt = await step(task, 'charge', async (key) => {
    console.log(`charging ${amount} (idempotency key ${key})`);
    await pause(chargeMs);
    return { charged: amount };
  });
  await sleep(task, 'settle', 2_000);
  const parcel = await step(task, 'ship', async () => {
    console.log('shipping');
    return { parcel: 'P-1' };
  });
  return { ...receipt, ...parcel };
}

/** One registration: polls and heartbeats until the engine says that it is over, or cannot be reached. */
class Session {
  held = new Map(); // run id -> lease: what the heartbeat keeps alive
  counts = { completed_delta: 0, failed_delta: 0 };
  over = false;

  async serve() {
    const registration = { workflow_types: ['http-order'], hostname: hostname(), pid: process.pid };
    const { worker_id, heartbeat_interval_secs } = await call('/workers', registration);
    console.log(`worker ${worker_id} waits for orders`);
    const beating = setInterval(
      () => this.beat(worker_id).catch((error) => this.end(error)),
      heartbeat_interval_secs * 1000,
    );
    try {
      while (!this.over) {
        const { task } = await call('/task-queues/default/poll', { worker_id });
        if (task !== null) this.execute(task).catch((error) => console.error(error.message));
      }
    } finally {
      clearInterval(beating);
    }
  }

  async beat(workerId) {
    const runs = [...this.held].map(([run_id, lease]) => ({ run_id, lease }));
    const counts = this.counts;
    this.counts = { completed_delta: 0, failed_delta: 0 };
    const { accepted, should_drain, lost_runs } = await call(`/workers/${workerId}/heartbeat`, { runs, ...counts });
    for (const { run_id } of lost_runs) this.held.delete(run_id);
    if (!accepted || should_drain) this.over = true;
  }

  end(error) {
    console.error(error.message);
    this.over = true;
  }

  async execute(task) {
    const { run_id, lease } = task;
    this.held.set(run_id, lease);
    try {
      const output = await order(task);
      await call(`/runs/${run_id}/complete`, { lease, output });
      this.counts.completed_delta += 1;
      console.log(`completed ${run_id}`);
    } catch (error) {
      // Lost to another worker, cancelled, or put down: nothing more to say. Anything else is the run's failure.
      if (error instanceof PutDown || error.code === 'LEASE_LOST' || error.code === 'RUN_NOT_FOUND') return;
      const failure = { code: String(error.code ?? error.name), message: error.message };
      await call(`/runs/${run_id}/fail`, { lease, error: failure, failed_step_id: error.failedStepId });
      this.counts.failed_delta += 1;
    } finally {
      this.held.delete(run_id);
    }
  }
}

for (;;) {
  try {
    await new Session().serve();
  } catch (error) {
    console.error(`${error.message}; trying again`);
  }
  await pause(1_000);
}
