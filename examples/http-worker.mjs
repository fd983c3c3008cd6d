// A worker over plain HTTP: node examples/http-worker.mjs, while `npm start` runs.
// It serves the workflow "order": two steps with a sleep between them. Kill it at any point and start it again.
import { hostname } from 'node:os';

const base = `${process.env.KAGZI_URL ?? 'http://127.0.0.1:8750'}/v1/default`;
const token = process.env.KAGZI_API_TOKEN;
const held = new Map(); // run id -> lease: what the heartbeat keeps alive

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

/** A step is executed only if it has no result yet; a failure is tried again by the retry policy. */
async function step(task, id, body) {
  const path = `/runs/${task.run_id}/steps/${encodeURIComponent(id)}`;
  const { lease } = task;
  const begun = await call(`${path}/begin`, { lease });
  if (begun.next_retry_at !== null) throw new PutDown();
  if (!begun.should_execute) return begun.cached_output;
  let output;
  try {
    output = await body(begun.idempotency_key);
  } catch (error) {
    const failed = await call(`${path}/fail`, { lease, error: { code: error.name, message: error.message } });
    if (failed.scheduled_retry) throw new PutDown();
    throw Object.assign(error, { failedStepId: id });
  }
  await call(`${path}/complete`, { lease, output });
  return output;
}

async function sleep(task, id, duration_ms) {
  const { elapsed } = await call(`/runs/${task.run_id}/sleep`, { lease: task.lease, step_id: id, duration_ms });
  if (!elapsed) throw new PutDown();
}

/** The run waits in the engine now: this worker holds it no longer. */
class PutDown extends Error {}

async function order(task) {
  const receipt = await step(task, 'charge', async (key) => {
    console.log(`charging ${task.input.amount} (idempotency key ${key})`);
    return { charged: task.input.amount };
  });
  await sleep(task, 'settle', 2_000);
  const parcel = await step(task, 'ship', async () => {
    console.log('shipping');
    return { parcel: 'P-1' };
  });
  return { ...receipt, ...parcel };
}

async function execute(task) {
  held.set(task.run_id, task.lease);
  const { lease } = task;
  try {
    const output = await order(task);
    await call(`/runs/${task.run_id}/complete`, { lease, output });
    console.log(`completed ${task.run_id}`);
  } catch (error) {
    // Lost to another worker, cancelled, or put down: nothing more to say. Anything else is the run's failure.
    if (error instanceof PutDown || error.code === 'LEASE_LOST' || error.code === 'RUN_NOT_FOUND') return;
    const failure = { code: error.code ?? error.name, message: error.message };
    await call(`/runs/${task.run_id}/fail`, { lease, error: failure, failed_step_id: error.failedStepId });
  } finally {
    held.delete(task.run_id);
  }
}

const { worker_id, heartbeat_interval_secs } = await call('/workers', {
  workflow_types: ['order'],
  hostname: hostname(),
  pid: process.pid,
});
console.log(`worker ${worker_id} waits for orders`);
setInterval(() => {
  const runs = [...held].map(([run_id, lease]) => ({ run_id, lease }));
  call(`/workers/${worker_id}/heartbeat`, { runs }).catch((error) => console.error(error.message));
}, heartbeat_interval_secs * 1000);

for (;;) {
  const { task } = await call('/task-queues/default/poll', { worker_id });
  if (task !== null) execute(task).catch((error) => console.error(error.message));
}
