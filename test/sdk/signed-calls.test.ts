import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { HttpApi } from '../../sdk/client/http-api.ts';
import { type Host, thisHost } from '../../sdk/host.ts';
import { ApiError, type AwsCredentials, createClient, createWorker, defineWorkflow } from '../../sdk/index.ts';
import { PollWorld } from '../helpers/poll-world.ts';
import { SignedGateway } from '../helpers/signed-gateway.ts';

const { clock } = thisHost;
const hostAt = (now: () => number): Host => ({
  ...thisHost,
  clock: { now, monotonic: () => clock.monotonic(), sleep: (ms, signal) => clock.sleep(ms, signal) },
});

const KEYS: AwsCredentials = { accessKeyId: 'AKIAEXAMPLE', secretAccessKey: 'the/secret+of=the key' };
const SESSION: AwsCredentials = {
  accessKeyId: 'ASIAEXAMPLE',
  secretAccessKey: 'another secret',
  sessionToken: 'IQoJb3JpZ2luX2VjE/+=token==',
};
const ODD_IDS = [
  'a/b',
  'a b',
  '100%',
  '%2F',
  'a#b?c=d&e=f',
  'a+b',
  'größe/日本語',
  '👩‍👩‍👧‍👦',
  '"quoted"\\',
  "it's (all) fine!*",
  '~.-_:@;,$=[]|^`{}',
];

let world: PollWorld;
let gateway: SignedGateway;
beforeAll(async () => {
  world = await PollWorld.open();
});
afterAll(() => world.close());
beforeEach(async () => {
  gateway = await SignedGateway.open(world.url);
  for (const keys of [KEYS, SESSION]) gateway.identities.set(keys.accessKeyId, keys);
});
afterEach(() => gateway.close());

const flow = defineWorkflow({ type: 'flow' }, async () => 1);
const region = 'eu-central-1';
const clientWith = (credentials: AwsCredentials | (() => Promise<AwsCredentials>)) =>
  createClient({ url: gateway.url, credentials, region });

describe('a client with AWS credentials', () => {
  it.each(ODD_IDS)('is let through with %j in body and query', async (id) => {
    const client = createClient({ url: gateway.url, credentials: KEYS, region });
    const { runId } = await client.start(flow, undefined, { externalId: id });
    const found = [];
    for await (const run of client.list({ externalId: id })) found.push(run.runId);
    expect(found).toEqual([runId]);
    const api = new HttpApi({ url: gateway.url, credentials: KEYS, region });
    await expect(api.call({ path: `/runs/${runId}/step`, query: { step_id: id } })).rejects.toMatchObject({
      code: 'STEP_NOT_FOUND',
    });
    expect(gateway.seen.map(({ status }) => status)).not.toContain(403);
  });

  it('is let through with a session token, with no body, an empty one and a big one', async () => {
    const client = clientWith(SESSION);
    const run = await client.start(
      defineWorkflow({ type: 'big' }, async (_ctx, _input: string) => 1),
      'ß'.repeat(500_000),
    );
    await run.cancel();
    expect(await run.status()).toBe('CANCELLED');
    expect(gateway.seen.map(({ accessKeyId, status }) => [accessKeyId, status])).toEqual(
      Array.from({ length: 4 }, () => ['ASIAEXAMPLE', 200]),
    );
    expect(gateway.seen[1]?.body.length).toBeGreaterThan(1_000_000);
  });

  it('reaches a stage, or a base path, below the host', async () => {
    const client = createClient({ url: `${gateway.url}/prod/`, credentials: KEYS, region });
    await expect(client.start(flow)).rejects.toMatchObject({ code: 'ROUTE_NOT_FOUND' });
    expect(gateway.seen.at(-1)).toMatchObject({ target: '/prod/v1/default/runs', status: 200 });
  });

  it('signs every attempt anew', async () => {
    const time = { now: Date.now() };
    const host = hostAt(() => time.now);
    let refusals = 0;
    gateway.answer = ({ target }) => {
      if (!target.endsWith('/runs') || refusals === 2) return null;
      refusals += 1;
      time.now += 1_000;
      return { status: 503 };
    };
    const api = new HttpApi({ url: gateway.url, credentials: KEYS, region }, host);
    await api.call({ path: '/runs', body: { workflow_type: 'flow' } });
    const starts = gateway.seen.filter(({ target }) => target === '/v1/default/runs');
    expect(starts.map(({ status }) => status)).toEqual([503, 503, 200]);
    expect(new Set(starts.map(({ signature }) => signature)).size).toBe(3);
  });

  it('sets its clock by a refusal, once, also for calls that are under way together', async () => {
    const refused = (): number => gateway.seen.filter(({ status }) => status === 403).length;
    const client = clientWith(KEYS);
    const run = await client.start(flow);
    gateway.aheadMs = 3 * 3_600_000;
    const together = [1, 2, 3].map(() => run.status());
    expect(await Promise.all(together)).toEqual(['PENDING', 'PENDING', 'PENDING']);
    expect(refused()).toBe(3);
    expect(await run.status()).toBe('PENDING');
    expect(refused()).toBe(3);
    gateway.aheadMs = -86_400_000;
    expect(await run.status()).toBe('PENDING');
    expect(refused()).toBe(4);
  });

  it('takes no time from an answer out of a cache', async () => {
    gateway.answer = () => ({ status: 403, headers: { age: '3600', date: new Date(0).toUTCString() } });
    await expect(clientWith(KEYS).start(flow)).rejects.toMatchObject({ code: 'FORBIDDEN' });
    expect(gateway.seen).toHaveLength(2);
  });

  it('is told plainly that its secret is wrong, and not the session token', async () => {
    const starting = clientWith({ ...SESSION, secretAccessKey: 'wrong' }).start(flow);
    await expect(starting).rejects.toBeInstanceOf(ApiError);
    const error = (await starting.catch((caught: unknown) => caught)) as ApiError;
    expect(error).toMatchObject({
      code: 'FORBIDDEN',
      status: 403,
      details: { access_key_id: 'ASIAEXAMPLE', region },
    });
    expect(error.message).toContain('does not match the signature you provided');
    expect(error.message).toContain('signed with ASIAEXAMPLE for eu-central-1');
    expect(JSON.stringify([error.message, error.details])).not.toContain('IQoJ');
    expect(gateway.targets()).toHaveLength(1);
  });

  it('is told of a wrong region, and of a key nobody knows', async () => {
    const elsewhere = createClient({ url: gateway.url, credentials: KEYS, region: 'us-east-1' });
    await expect(elsewhere.start(flow)).rejects.toThrow('scoped to a valid region');
    await expect(clientWith({ ...KEYS, accessKeyId: 'AKIAUNKNOWN' }).start(flow)).rejects.toThrow('security token');
  });

  it('sends what it signed to nobody else', async () => {
    gateway.answer = () => ({ status: 307, headers: { location: `${world.url}/v1/default/runs` } });
    await expect(clientWith(SESSION).start(flow)).rejects.toMatchObject({ code: 'UNEXPECTED_ANSWER', status: 307 });
  });

  it('does not wait longer for credentials than for an answer', async () => {
    const api = new HttpApi({
      url: gateway.url,
      region,
      credentials: () => new Promise<AwsCredentials>(() => undefined),
      timeout: 20,
      attempts: 1,
    });
    await expect(api.call({ path: '/runs' })).rejects.toThrow('was not signed in time');
    expect(gateway.seen).toEqual([]);
  });
});

describe('credentials that come from a provider', () => {
  it('are asked for once, and again when they are about to end', async () => {
    let now = Date.now();
    let asked = 0;
    const provider = async (): Promise<AwsCredentials> => {
      asked += 1;
      const keys = { accessKeyId: `ASIA${asked}`, secretAccessKey: `secret ${asked}`, sessionToken: `token ${asked}` };
      gateway.identities.set(keys.accessKeyId, keys);
      return { ...keys, expiration: new Date(now + 3_600_000) };
    };
    const host = hostAt(() => now);
    const api = new HttpApi({ url: gateway.url, credentials: provider, region }, host);
    await api.call({ path: '/runs' });
    await api.call({ path: '/runs' });
    expect(asked).toBe(1);
    now += 3_600_000 - 4 * 60_000;
    gateway.aheadMs = now - Date.now();
    await Promise.all([1, 2, 3].map(() => api.call({ path: '/runs' })));
    expect(asked).toBe(2);
    expect(gateway.seen.at(-1)).toMatchObject({ accessKeyId: 'ASIA2', status: 200 });
  });

  it('are used to their end if the provider fails meanwhile, and no longer', async () => {
    let now = Date.now();
    const end = now + 3_600_000;
    let failures = 0;
    const provider = async (): Promise<AwsCredentials> => {
      if (failures-- > 0) throw new Error('no connection to STS');
      return { ...SESSION, expiration: new Date(now + 3_600_000) };
    };
    const host = hostAt(() => now);
    const api = new HttpApi({ url: gateway.url, credentials: provider, region }, host);
    await api.call({ path: '/runs' });
    failures = 1;
    now = end - 1_000;
    gateway.aheadMs = now - Date.now();
    await api.call({ path: '/runs' });
    expect(failures).toBe(0);
    now = end + 1_000;
    failures = 2;
    const failing = api.with({ attempts: 2 }).call({ path: '/runs' });
    await expect(failing).rejects.toMatchObject({ name: 'SigningError', code: 'NO_CREDENTIALS', isTransient: true });
    await expect(failing).rejects.toThrow('no connection to STS');
    failures = 2;
    await api.with({ attempts: 3 }).call({ path: '/runs' });
  });

  it('are asked for again when they were refused, and the call goes on with the new ones', async () => {
    let now = Date.now();
    let current = KEYS;
    let asked = 0;
    const provider = async (): Promise<AwsCredentials> => {
      asked += 1;
      return current;
    };
    const host = hostAt(() => now);
    const api = new HttpApi({ url: gateway.url, credentials: provider, region }, host);
    await api.call({ path: '/runs' });
    gateway.identities.delete(KEYS.accessKeyId);
    // Just asked for: the refusal is not their age's fault.
    await expect(api.call({ path: '/runs' })).rejects.toMatchObject({ code: 'FORBIDDEN' });
    expect(asked).toBe(1);
    now += 61_000;
    await expect(api.call({ path: '/runs' })).rejects.toMatchObject({ code: 'FORBIDDEN' });
    expect(asked).toBe(2);
    current = SESSION;
    now += 61_000;
    await api.call({ path: '/runs' });
    expect(gateway.seen.at(-1)).toMatchObject({ accessKeyId: SESSION.accessKeyId, status: 200 });
  });

  it('must be whole', async () => {
    const provider = async () => ({ accessKeyId: 'AKIA', secretAccessKey: '' });
    await expect(clientWith(provider).start(flow)).rejects.toMatchObject({ code: 'NO_CREDENTIALS' });
    expect(gateway.seen).toEqual([]);
  });
});

describe('a poll worker with AWS credentials', () => {
  it('serves runs whose steps have odd ids, and drains', async () => {
    const odd = defineWorkflow({ type: 'odd' }, async (ctx) => {
      const outputs: string[] = [];
      for (const id of ODD_IDS) outputs.push(await ctx.step(id, () => id));
      await ctx.sleep('a nap / of 50 %', 20);
      return outputs;
    });
    const worker = createWorker({ workflows: [odd], log: () => undefined }).poll({
      url: gateway.url,
      credentials: async () => SESSION,
      region,
      signals: false,
    });
    const run = await clientWith(KEYS).start(odd);
    expect(await run.result()).toEqual(ODD_IDS);
    await worker.stop();
    expect(gateway.seen.filter(({ status }) => status === 403)).toEqual([]);
    const called = gateway.targets().map((target) => target.replace(/[0-9a-f-]{36}/, 'ID'));
    expect(called).toContain('/v1/default/workers/ID/deregister');
    expect(called).toContain('/v1/default/runs/ID/steps/complete');
  });

  it('asks for its credentials once, however many calls it makes at once', async () => {
    let asked = 0;
    const worker = createWorker({ workflows: [flow], log: () => undefined }).poll({
      url: gateway.url,
      region,
      signals: false,
      credentials: async () => {
        asked += 1;
        return KEYS;
      },
    });
    const run = await clientWith(KEYS).start(flow);
    expect(await run.result()).toBe(1);
    await worker.stop();
    expect(asked).toBe(1);
  });

  it.each([
    ['a wrong secret', async () => ({ ...KEYS, secretAccessKey: 'wrong' }), 'FORBIDDEN'],
    ['none', () => Promise.reject(new Error('nobody is logged in')), 'NO_CREDENTIALS'],
  ])('does not begin with %s', async (_what, credentials, code) => {
    const worker = createWorker({ workflows: [flow], log: () => undefined }).poll({
      url: gateway.url,
      credentials,
      region,
      signals: false,
    });
    await expect(worker.done).rejects.toMatchObject({ code });
  });
});

describe('what proves who calls', () => {
  const url = 'http://127.0.0.1:1';
  const wrong = (proof: object) => ({ url, ...proof });
  it.each([
    [{ token: 't', credentials: KEYS }, '`token` and `credentials` exclude each other'],
    [{ credentials: KEYS, sign: async () => ({}) }, '`credentials` and `sign` exclude each other'],
    [{ token: 't', sign: async () => ({}) }, '`token` and `sign` exclude each other'],
    [{ region: 'eu-central-1' }, '`region` goes with `credentials`'],
    [{ credentials: true }, "`credentials` are 'default'"],
    [{ credentials: 'prod' }, "`credentials` are 'default'"],
    [{ credentials: {} }, "`credentials` are 'default'"],
  ])('is refused before any call: %j', (proof, message) => {
    expect(() => createClient(wrong(proof))).toThrow(message);
    expect(() => createWorker({ workflows: [flow] }).poll(wrong(proof))).toThrow(message);
  });

  it('may be a function of one’s own, asked for every attempt', async () => {
    let asked = 0;
    const headers = new Set<string>();
    const answer: typeof fetch = async (_url, init) => {
      headers.add(new Headers(init?.headers).get('x-proof') ?? '');
      return new Response('{}', { status: 503 });
    };
    const sign = async () => {
      asked += 1;
      return { 'x-proof': String(asked) };
    };
    const api = new HttpApi({ url, sign, fetch: answer, attempts: 2 });
    await expect(api.call({ path: '/runs' })).rejects.toMatchObject({ status: 503 });
    expect([...headers]).toEqual(['1', '2', '3']);
  });

  it('loads the AWS SDK only when something is signed', () => {
    const entry = fileURLToPath(new URL('../../sdk/index.ts', import.meta.url));
    const script = `
      import { createRequire } from 'node:module';
      const { createClient, createWorker, defineWorkflow } = await import(${JSON.stringify(entry)});
      const { cache } = createRequire(import.meta.url);
      const loaded = () => Object.keys(cache).filter((path) => /node_modules.@(aws-sdk|smithy)/.test(path)).length;
      const flow = defineWorkflow({ type: 'flow' }, async () => 1);
      const options = { url: 'http://127.0.0.1:1', attempts: 1 };
      await createClient({ ...options, token: 't' }).start(flow).catch(() => {});
      const client = createClient({ ...options, credentials: ${JSON.stringify(KEYS)}, region: 'eu-central-1' });
      console.log(loaded());
      await client.start(flow).catch(() => {});
      console.log(loaded() > 0);
    `;
    const { stdout, stderr } = spawnSync(
      process.execPath,
      ['--import', 'tsx', '--input-type=module', '--eval', script],
      { encoding: 'utf8' },
    );
    expect({ stdout, stderr }).toEqual({ stdout: '0\ntrue\n', stderr: '' });
  });
});
