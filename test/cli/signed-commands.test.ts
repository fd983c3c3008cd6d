import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { chooseProof } from '../../cli/choose-proof.ts';
import { runCli } from '../../cli/run-cli.ts';
import { createWorker, defineWorkflow } from '../../sdk/index.ts';
import type { RunningWorker } from '../../sdk/worker/embedded-worker.ts';
import { temporaryDirectory } from '../helpers/embedded-store.ts';
import { PollWorld } from '../helpers/poll-world.ts';
import { SignedGateway } from '../helpers/signed-gateway.ts';

const greet = defineWorkflow({ type: 'greet' }, async (ctx, { name }: { name: string }) =>
  ctx.step('compose a greeting / 100 %', () => `Hello, ${name}!`),
);

let directory: string;
let world: PollWorld;
let worker: RunningWorker;
let gateway: SignedGateway;
beforeAll(async () => {
  directory = temporaryDirectory();
  world = await PollWorld.open();
  worker = createWorker({ workflows: [greet], log: () => undefined }).embedded(world.engine);
});
afterAll(async () => {
  await worker.stop();
  await world.close();
  rmSync(directory, { recursive: true, force: true });
});

/** Nothing of the person who runs the tests, and no look for the role of this machine. */
beforeEach(async () => {
  gateway = await SignedGateway.open(world.url);
  gateway.identities.set('AKIAENV', { secretAccessKey: 'of the environment' });
  gateway.identities.set('ASIAFILE', { secretAccessKey: 'of the file', sessionToken: 'token/of+file==' });
  for (const name of Object.keys(process.env).filter((key) => key.startsWith('AWS_'))) vi.stubEnv(name, undefined);
  const [config, credentials] = [join(directory, 'config'), join(directory, 'credentials')];
  writeFileSync(config, `[profile shop]\nregion = ${gateway.region}\n[profile elsewhere]\nregion = us-east-1\n`);
  const keys =
    'aws_access_key_id = ASIAFILE\naws_secret_access_key = of the file\naws_session_token = token/of+file==\n';
  writeFileSync(credentials, `[shop]\n${keys}[elsewhere]\n${keys}`);
  vi.stubEnv('AWS_CONFIG_FILE', config);
  vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', credentials);
  vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true');
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await gateway.close();
});

const useEnv = (): void => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIAENV');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'of the environment');
  vi.stubEnv('AWS_REGION', gateway.region);
};

async function kagzi(argv: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const printed: string[] = [];
  const noted: string[] = [];
  const code = await runCli(argv, {
    env: { KAGZI_URL: gateway.url, ...env },
    print: (text) => void printed.push(text),
    note: (text) => void noted.push(text),
  });
  return { code, out: printed.join('\n'), err: noted.join('\n') };
}

describe('a signed command', () => {
  it('is let through, whichever it is', async () => {
    useEnv();
    const sign = { KAGZI_SIGN: 'on' };
    const { out: run } = await kagzi(['start', 'greet', '-i', '{"name": "Äda"}', '--external-id', 'größe & 1/2'], sign);
    expect(await kagzi(['result', run], sign)).toMatchObject({ code: 0, out: '"Hello, Äda!"' });
    for (const line of [
      ['get', run],
      ['steps', run],
      ['list', '--external-id', 'größe & 1/2'],
      ['export', run],
      ['workers'],
      ['dead-letters'],
      ['health'],
    ]) {
      expect(await kagzi(line, sign), line.join(' ')).toMatchObject({ code: 0, err: '' });
    }
    const { out: other } = await kagzi(['start', 'nobody-serves-this'], sign);
    expect(await kagzi(['cancel', other], sign)).toMatchObject({ code: 0, out: 'CANCELLED' });
    expect(gateway.targets()).toContain('/v1/default/runs?page_size=20&external_id=gr%C3%B6%C3%9Fe%20%26%201%2F2');
    expect(new Set(gateway.seen.map(({ accessKeyId, status }) => `${accessKeyId} ${status}`))).toEqual(
      new Set(['AKIAENV 200']),
    );
  });

  it('takes keys, session token and region from a profile', async () => {
    useEnv();
    vi.stubEnv('AWS_REGION', undefined);
    expect(await kagzi(['list', '--profile', 'shop'])).toMatchObject({ code: 0, err: '' });
    expect(gateway.seen.at(-1)).toMatchObject({ accessKeyId: 'ASIAFILE', status: 200 });
    vi.stubEnv('AWS_PROFILE', 'shop');
    vi.stubEnv('AWS_ACCESS_KEY_ID', undefined);
    expect(await kagzi(['list', '--sign'])).toMatchObject({ code: 0, err: '' });
    expect(await kagzi(['list', '--profile', 'elsewhere', '--region', gateway.region])).toMatchObject({ code: 0 });
  });

  it('with a profile that does not exist falls back on nothing', async () => {
    useEnv();
    const { code, err } = await kagzi(['list', '--profile', 'shpo']);
    expect(code).toBe(1);
    expect(err).toContain('shpo');
    expect(err).toContain('aws sso login');
    expect(gateway.seen).toEqual([]);
  });

  it('without credentials says where to put them', async () => {
    const { code, out, err } = await kagzi(['list', '--region', gateway.region]);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toContain('There are no AWS credentials to sign with');
    expect(err).toContain('--profile');
    expect(gateway.seen).toEqual([]);
  });

  it('without a region says how to give it', async () => {
    useEnv();
    vi.stubEnv('AWS_REGION', undefined);
    const { code, err } = await kagzi(['list', '--sign']);
    expect(code).toBe(1);
    expect(err).toContain('It is not known for which AWS region to sign calls to 127.0.0.1');
    expect(err).toContain('--region');
  });

  it('that is refused says who was refused, and what may help', async () => {
    useEnv();
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'wrong');
    const { code, err } = await kagzi(['list', '--sign']);
    expect(code).toBe(1);
    expect(err).toContain('signed with AKIAENV for eu-central-1');
    expect(err).toContain('execute-api:Invoke');
    const unsigned = await kagzi(['list']);
    expect(unsigned.code).toBe(1);
    expect(unsigned.err).toContain('Missing Authentication Token');
    expect(unsigned.err).toContain('--sign');
  });

  it.each([
    [['list', '--token', 't', '--sign'], {}, 'leave out --token'],
    [['list', '--token', 't', '--profile', 'shop'], {}, 'leave out --token'],
    [['list'], { KAGZI_SIGN: 'on', KAGZI_API_TOKEN: 't' }, 'unset KAGZI_API_TOKEN or KAGZI_SIGN'],
    [['list'], { KAGZI_SIGN: 'yes' }, 'KAGZI_SIGN is "yes": it can be on or off'],
  ])('is not understood: %j with %j', async (argv, env, words) => {
    const { code, err } = await kagzi(argv, env as Readonly<Record<string, string>>);
    expect(code).toBe(1);
    expect(err).toContain(words);
    expect(gateway.seen).toEqual([]);
  });
});

describe('whether a command signs', () => {
  const API = 'https://abc123.execute-api.eu-west-1.amazonaws.com/prod';
  const signed = { credentials: 'default' };
  it.each([
    [API, {}, {}, signed],
    ['https://abc123.execute-api.cn-north-1.amazonaws.com.cn', {}, {}, signed],
    ['https://vpce-0a1-b2.execute-api.us-gov-west-1.vpce.amazonaws.com', {}, {}, signed],
    [API.replace('https', 'http'), {}, {}, {}],
    ['https://abc123.execute-api.eu-west-1.amazonaws.com.example.org', {}, {}, {}],
    ['https://execute-api.eu-west-1.amazonaws.com', {}, {}, {}],
    ['https://workflows.example.org', {}, {}, {}],
    ['https://workflows.example.org', { sign: true }, {}, signed],
    ['https://workflows.example.org', { region: 'eu-west-1' }, {}, { ...signed, region: 'eu-west-1' }],
    ['https://workflows.example.org', {}, { KAGZI_SIGN: 'on' }, signed],
    [API, {}, { KAGZI_SIGN: 'off' }, {}],
    [API, {}, { KAGZI_SIGN: '' }, signed],
    [API, { token: 't' }, { KAGZI_SIGN: 'on' }, { token: 't' }],
    [API, {}, { KAGZI_API_TOKEN: 't' }, { token: 't' }],
    [API, { sign: true }, { KAGZI_API_TOKEN: 't', KAGZI_SIGN: 'off' }, signed],
    [API, { profile: 'shop' }, { KAGZI_API_TOKEN: 't' }, { credentials: { profile: 'shop' } }],
  ])('%s with %j and %j', (url, given, env, expected) => {
    expect(chooseProof(new URL(url), given, env)).toEqual(expected);
  });
});
