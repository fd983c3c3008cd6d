import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ChildServer, runServerToEnd, startChildServer } from '../helpers/child-server.ts';
import { temporaryDirectory } from '../helpers/embedded-store.ts';

let directory: string;
let server: ChildServer | null;
beforeEach(() => {
  directory = temporaryDirectory();
  server = null;
});
afterEach(async () => {
  await server?.stop('SIGKILL');
  rmSync(directory, { recursive: true, force: true });
});

const start = async (env: Record<string, string> = {}): Promise<ChildServer> => {
  server = await startChildServer({ KAGZI_DATA_DIR: directory, ...env });
  return server;
};
const post = (url: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
const portOf = ({ url }: ChildServer): string => new URL(url).port;

describe('a server that cannot start says why in one line and exits 1', () => {
  it.each([
    ['a port in use', { KAGZI_SERVER_PORT: 'taken' }, /^The address 127\.0\.0\.1:\d+ is in use/],
    ['a store in use', {}, /^The store .* is in use by another process \(pid \d+\)$/],
  ])('%s', async (_name, env, message) => {
    const first = await start();
    const own = 'KAGZI_SERVER_PORT' in env ? { KAGZI_SERVER_PORT: portOf(first) } : {};
    const dataDir = 'KAGZI_SERVER_PORT' in env ? join(directory, 'other') : directory;
    const second = await runServerToEnd({ KAGZI_DATA_DIR: dataDir, ...own });
    expect(second.code).toBe(1);
    expect(second.stdout).toBe('');
    expect(second.stderr.trim()).toMatch(message);
    expect(second.stderr.trim().split('\n')).toHaveLength(1);
  });

  it.each([
    ['an unwritable directory', unwritable, /cannot be created or written/],
    ['a damaged store', damaged, /^The store .* is damaged/],
    ['a newer store', newer, /has format 999, newer than/],
    ['another database', foreign, /is a database, but not a Kagzi store/],
  ])('%s', async (_name, prepare, message) => {
    const ended = await runServerToEnd({ KAGZI_DATA_DIR: prepare(directory) });
    expect(ended.code).toBe(1);
    expect(ended.stderr.trim()).toMatch(message);
    expect(ended.stderr.trim().split('\n')).toHaveLength(1);
  });

  it('wrong settings, all of them at once', async () => {
    const ended = await runServerToEnd({ KAGZI_SERVER_PORT: 'x', KAGZI_LEASE_SECS: '0', KAGZI_DATA_DIR: directory });
    expect(ended.code).toBe(1);
    expect(ended.stderr).toContain('KAGZI_SERVER_PORT');
    expect(ended.stderr).toContain('KAGZI_LEASE_SECS');
  });
});

/** A file where the directory should be: not even root can write into it. */
function unwritable(root: string): string {
  writeFileSync(join(root, 'file'), '');
  return join(root, 'file', 'data');
}

function damaged(root: string): string {
  writeFileSync(
    join(root, 'kagzi.db'),
    'this is no database at all, but it is long enough to look like one'.repeat(99),
  );
  return root;
}

function withDatabase(root: string, sql: string): string {
  mkdirSync(root, { recursive: true });
  const db = new DatabaseSync(join(root, 'kagzi.db'));
  db.exec(sql);
  db.close();
  chmodSync(join(root, 'kagzi.db'), 0o644);
  return root;
}
const foreign = (root: string): string => withDatabase(root, 'CREATE TABLE theirs (x)');
const newer = (root: string): string =>
  withDatabase(root, `CREATE TABLE items (x); PRAGMA application_id = ${0x4b61677a}; PRAGMA user_version = 999`);

describe('a server that is told to stop', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)(
    'ends long polls, lets the store be whole and exits 0 on %s',
    async (signal) => {
      const { url, output } = await start();
      const registered = await post(`${url}/v1/default/workers`, { workflow_types: ['hello'] });
      const { worker_id } = (await registered.json()) as { worker_id: string };
      const poll = post(`${url}/v1/default/task-queues/default/poll`, { worker_id, timeout_secs: 20 });
      const created = await post(`${url}/v1/default/runs`, { workflow_type: 'other' });
      expect(created.status).toBe(201);
      expect(await server?.stop(signal)).toBe(0);
      const answer = await poll;
      expect(answer.status).toBe(200);
      expect(await answer.json()).toMatchObject({ task: null });
      expect(output()).toContain('Stopping');
      const again = await start();
      const { runs } = (await (await fetch(`${again.url}/v1/default/runs`)).json()) as { runs: unknown[] };
      expect(runs).toHaveLength(1);
    },
  );
});

describe('a running server', () => {
  it('names its data directory and a call to try, and logs JSON with the ids of the request', async () => {
    const { url, output } = await start();
    expect(output()).toContain(directory);
    expect(output()).toContain(`curl -s ${url}/v1/default/runs`);
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const headers = { 'x-correlation-id': 'order-17', traceparent };
    const response = await post(`${url}/v1/default/runs`, { workflow_type: 'hello', input: 'a secret' }, headers);
    expect(response.headers.get('x-correlation-id')).toBe('order-17');
    const lines = output()
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines).toContainEqual(
      expect.objectContaining({
        message: 'request',
        route: 'POST /v1/{namespace}/runs',
        status: 201,
        correlation_id: 'order-17',
        trace_id: '0af7651916cd43dd8448eb211c80319c',
      }),
    );
    expect(output()).not.toContain('a secret');
  });

  it('wants its token, and the other one for admin calls', async () => {
    const token = 'a-token-of-the-users';
    const admin = 'a-token-of-the-admin';
    const { url } = await start({ KAGZI_API_TOKEN: token, KAGZI_ADMIN_TOKEN: admin });
    const bearer = (given: string) => ({ authorization: `Bearer ${given}` });
    expect((await fetch(`${url}/health`)).status).toBe(200);
    expect((await fetch(`${url}/v1/default/runs`)).status).toBe(401);
    expect((await fetch(`${url}/v1/default/runs`, { headers: bearer(admin) })).status).toBe(401);
    expect((await fetch(`${url}/v1/default/runs`, { headers: bearer(token) })).status).toBe(200);
    expect((await post(`${url}/admin/drain`, {}, bearer(token))).status).toBe(401);
    expect((await post(`${url}/admin/drain`, {}, bearer(admin))).status).toBe(200);
    expect((await fetch(`${url}/ready`)).status).toBe(503);
  });

  it('refuses a body that is too large or no UTF-8 with a clear error, and goes on', async () => {
    const { url } = await start();
    const large = await post(`${url}/v1/default/runs`, { workflow_type: 'a', input: 'x'.repeat(6 * 1024 * 1024) });
    expect(large.status).toBe(413);
    expect(await large.json()).toMatchObject({ error: { code: 'PAYLOAD_TOO_LARGE' } });
    const latin = await fetch(`${url}/v1/default/runs`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: new Uint8Array([0x22, 0xe9, 0x22]),
    });
    expect(latin.status).toBe(400);
    expect((await fetch(`${url}/health`)).status).toBe(200);
  });

  it('serves 2 MiB payloads over HTTP, and not one byte more', async () => {
    const { url } = await start();
    const most = 'é'.repeat((2 * 1024 * 1024 - 2) / 2);
    const created = await post(`${url}/v1/default/runs`, { workflow_type: 'hello', input: most });
    expect(created.status).toBe(201);
    const { run_id } = (await created.json()) as { run_id: string };
    const { input } = (await (await fetch(`${url}/v1/default/runs/${run_id}`)).json()) as { input: string };
    expect(input === most).toBe(true);
    const more = await post(`${url}/v1/default/runs`, { workflow_type: 'hello', input: `${most}x` });
    expect(more.status).toBe(413);
  });
});
