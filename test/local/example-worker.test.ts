import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type ChildServer, startChildServer } from '../helpers/child-server.ts';
import { temporaryDirectory } from '../helpers/embedded-store.ts';

const EXAMPLE = fileURLToPath(new URL('../../examples/http-worker.mjs', import.meta.url));

let directory: string;
let server: ChildServer;
const workers: { kill(): void }[] = [];
beforeEach(async () => {
  directory = temporaryDirectory();
  server = await startChildServer({
    KAGZI_DATA_DIR: directory,
    KAGZI_LEASE_SECS: '2',
    KAGZI_WATCHDOG_WORKER_STALE_THRESHOLD_SECS: '2',
    KAGZI_WORKER_HEARTBEAT_INTERVAL_SECS: '1',
  });
});
afterEach(async () => {
  for (const worker of workers.splice(0)) worker.kill();
  await server.stop('SIGKILL');
  rmSync(directory, { recursive: true, force: true });
});

function startWorker() {
  const child = spawn(process.execPath, [EXAMPLE], {
    env: { PATH: process.env['PATH'] ?? '', KAGZI_URL: server.url, CHARGE_MS: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  const waiting: (() => void)[] = [];
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
    for (const look of waiting) look();
  });
  const worker = {
    output: () => output,
    kill: () => void child.kill('SIGKILL'),
    printed: (text: string) =>
      new Promise<void>((resolve) => {
        const look = (): void => void (output.includes(text) && resolve());
        waiting.push(look);
        look();
      }),
  };
  workers.push(worker);
  return worker;
}

it('the example worker is killed after its first step, and another finishes the run without repeating it', async () => {
  const first = startWorker();
  await first.printed('waits for orders');
  const started = await fetch(`${server.url}/v1/default/runs`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ workflow_type: 'http-order', input: { amount: 42 } }),
  });
  const { run_id } = (await started.json()) as { run_id: string };
  const steps = async (): Promise<readonly { status: string }[]> => {
    const answer = await fetch(`${server.url}/v1/default/runs/${run_id}/steps`);
    return ((await answer.json()) as { steps: { status: string }[] }).steps;
  };
  while (!(await steps()).some(({ status }) => status === 'COMPLETED')) await new Promise((r) => setTimeout(r, 20));
  first.kill();
  const second = startWorker();
  await second.printed('completed');
  const answer = await fetch(`${server.url}/v1/default/runs/${run_id}`);
  expect(await answer.json()).toMatchObject({ status: 'COMPLETED', output: { charged: 42, parcel: 'P-1' } });
  expect(first.output()).toContain('charging');
  expect(second.output()).not.toContain('charging');
  expect(second.output()).toContain('shipping');
});
