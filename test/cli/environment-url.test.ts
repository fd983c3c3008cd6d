import { createServer } from 'node:http';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { environmentUrl } from '../../cli/environment-url.ts';
import { runCli } from '../../cli/run-cli.ts';
import { StackService } from '../helpers/stack-service.ts';

const URL_OF_PROD = 'https://abc123.execute-api.eu-central-1.amazonaws.com/prod?a=1&b="<2>"';
let service: StackService;

/** Nothing of the person who runs the tests, and no look for the role of this machine. */
beforeEach(async () => {
  for (const name of Object.keys(process.env).filter((key) => key.startsWith('AWS_'))) vi.stubEnv(name, undefined);
  for (const name of ['AWS_CONFIG_FILE', 'AWS_SHARED_CREDENTIALS_FILE']) vi.stubEnv(name, '/nowhere');
  vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIAUSER');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'of the user');
  vi.stubEnv('AWS_SESSION_TOKEN', 'token/of+user==');
  vi.stubEnv('AWS_REGION', 'eu-central-1');
  service = await StackService.open();
  service.identities.set('AKIAUSER', { secretAccessKey: 'of the user', sessionToken: 'token/of+user==' });
  service.stacks.set('kagzi-prod', { TableName: 'runs', Url: URL_OF_PROD, BucketName: 'blobs' });
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await service.close();
});

const environment = (more: Readonly<Record<string, string>> = {}) => ({
  AWS_ENDPOINT_URL_CLOUDFORMATION: service.url,
  ...more,
});

async function refusal(argv: readonly string[], endpoint = service.url) {
  const noted: string[] = [];
  const code = await runCli(['console', ...argv], {
    env: { AWS_ENDPOINT_URL_CLOUDFORMATION: endpoint },
    print: () => undefined,
    note: (text) => void noted.push(text),
  });
  return { code, err: noted.join('\n') };
}

describe('the URL of an environment', () => {
  it('is what its stack says, asked for with the credentials of the user', async () => {
    expect(await environmentUrl({ env: 'prod' }, environment())).toBe(URL_OF_PROD);
    expect(service.asked).toBe(1);
  });

  it('is found although the clock of this machine is wrong', async () => {
    service.aheadMs = 3_600_000;
    expect(await environmentUrl({ env: 'prod' }, environment())).toBe(URL_OF_PROD);
    expect(service.asked).toBe(2);
  });

  it('is the variable’s if that is set, and nobody is asked', async () => {
    const env = environment({ KAGZI_URL_STAGING_2: 'http://127.0.0.1:1' });
    expect(await environmentUrl({ env: 'staging-2' }, env)).toBe('http://127.0.0.1:1');
    expect(await environmentUrl({}, env)).toBeUndefined();
    expect(service.asked).toBe(0);
  });
});

describe('an environment that is not found', () => {
  it.each([['Prod'], ['../x'], ['a'.repeat(32)], ['']])('for %j is no name', async (name) => {
    expect(await refusal([`--env=${name}`])).toMatchObject({ code: 1, err: expect.stringContaining('is no name') });
    expect(service.asked).toBe(0);
  });

  it('because there is no such stack: says where it was looked for', async () => {
    const { code, err } = await refusal(['--env', 'staging-2']);
    expect(code).toBe(1);
    expect(err).toContain('There is no stack kagzi-staging-2 in eu-central-1');
    expect(err).toContain('--region');
    expect(err).toContain('KAGZI_URL_STAGING_2');
  });

  it('because the stack is not ready', async () => {
    service.stacks.set('kagzi-dev', null);
    expect((await refusal(['--env', 'dev'])).err).toContain('has no output Url');
  });

  it('because there are no credentials, or no such profile', async () => {
    expect((await refusal(['--env', 'prod', '--profile', 'shpo'])).err).toContain('shpo');
    vi.stubEnv('AWS_ACCESS_KEY_ID', undefined);
    const { code, err } = await refusal(['--env', 'prod']);
    expect(code).toBe(1);
    expect(err).toContain('CloudFormation could not be asked where "prod" is, and KAGZI_URL_PROD is not set.');
    expect(err).toContain('There are no AWS credentials');
    expect(err).toContain('aws sso login');
    expect(service.asked).toBe(0);
  });

  it('because there is no region', async () => {
    vi.stubEnv('AWS_REGION', undefined);
    const { code, err } = await refusal(['--env', 'prod']);
    expect(code).toBe(1);
    expect(err).toContain('for which AWS region to sign calls to CloudFormation');
    expect(err).toContain('--region or AWS_REGION');
    expect((await refusal(['--env', 'nope', '--region', 'eu-central-1'])).err).toContain(
      'There is no stack kagzi-nope',
    );
  });

  it('because the caller may not look', async () => {
    service.identities.set('AKIAUSER', {
      secretAccessKey: 'of the user',
      sessionToken: 'token/of+user==',
      denied: true,
    });
    const { code, err } = await refusal(['--env', 'prod']);
    expect(code).toBe(1);
    expect(err).toContain('AccessDenied: User: AKIAUSER is not authorized');
    expect(err).toContain('cloudformation:DescribeStacks');
    expect(err).toContain('aws sts get-caller-identity');
  });

  it('because the keys are wrong', async () => {
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'wrong');
    const { code, err } = await refusal(['--env', 'prod']);
    expect(code).toBe(1);
    expect(err).toContain('SignatureDoesNotMatch');
    expect(err).toContain('Log in again');
  });

  it('because CloudFormation does not answer, something else does, or the endpoint is none', async () => {
    const { code, err } = await refusal(['--env', 'prod'], 'http://127.0.0.1:1');
    expect({ code, err }).toMatchObject({ code: 3, err: expect.stringContaining('CloudFormation does not answer') });
    const other = createServer((_request, response) => response.end('<html>hello</html>'));
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as { readonly port: number };
    expect(await refusal(['--env', 'prod'], `http://127.0.0.1:${port}`)).toMatchObject({
      code: 1,
      err: expect.stringContaining('HTTP 200: no reason given'),
    });
    other.close();
    expect((await refusal(['--env', 'prod'], 'nowhere')).err).toContain('"nowhere" is no URL');
  });
});
