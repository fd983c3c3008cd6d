import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort, type Running, startProcess } from '../cli/kagzi-process.ts';
import { temporaryDirectory } from '../helpers/embedded-store.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const TSC = join(ROOT, 'node_modules/typescript/bin/tsc');

/** Dies in its second step, unless it is told that it has died before. */
const APP = `
import { appendFileSync, existsSync } from 'node:fs';
import { createClient, createWorker, defineWorkflow } from 'kagzi';
import { openEmbedded } from 'kagzi/embedded';

const flow = defineWorkflow({ type: 'flow' }, async (ctx, input) => {
  const first = await ctx.step('first', () => {
    appendFileSync('bodies.txt', 'first ');
    return new Date(0);
  });
  await ctx.step('second', () => {
    appendFileSync('bodies.txt', 'second ');
    if (!existsSync('died-before')) process.kill(process.pid, 'SIGKILL');
  });
  return { first, name: input.name };
});

const { engine, close } = await openEmbedded('data');
const worker = createWorker({ workflows: [flow] }).embedded(engine);
const run = await createClient({ embedded: engine }).start(flow, { name: 'Ada' }, { externalId: 'one' });
const { first, name } = await run.result();
console.log(first instanceof Date, name);
await worker.stop();
await close();
`;

const TYPED = `
import { createClient, defineWorkflow } from 'kagzi';
import { openEmbedded } from 'kagzi/embedded';

export const flow = defineWorkflow({ type: 'flow' }, async (ctx, input: { name: string }) =>
  ctx.step('greet', () => input.name.length),
);
const { engine } = await openEmbedded('data');
const run = await createClient({ embedded: engine }).start(flow, { name: 'Ada' });
const length: number = await run.result();
// @ts-expect-error a number is no text
const text: string = await run.result();
// @ts-expect-error the input has a name
await createClient({ embedded: engine }).start(flow, { nam: 'Ada' });
console.log(length, text);
`;

/** Signs a call to a server of its own. */
const SIGNING = `
import { createServer } from 'node:http';
import { createClient } from 'kagzi';

const server = createServer((request, response) => {
  console.log(request.headers.authorization.split(',')[0]);
  response.writeHead(403).end('{"message": "Forbidden"}');
}).listen(0, '127.0.0.1', async () => {
  const url = \`http://127.0.0.1:\${server.address().port}\`;
  const credentials = { accessKeyId: 'AKIA', secretAccessKey: 'secret' };
  const client = createClient({ url, credentials, region: 'eu-west-1' });
  await client.run('00000000-0000-7000-8000-000000000000').status().catch((error) => console.log(error.code));
  server.closeAllConnections();
  server.close();
});
`;

let directory: string;
let project: string;
const write = (name: string, text: string): void => writeFileSync(join(project, name), text);
const run = (command: string, ...args: readonly string[]): Running => startProcess(command, args, { cwd: project });

async function npm(cwd: string, ...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await startProcess('npm', args, { cwd }).ended;
  if (code !== 0) throw new Error(`npm ${args[0]} ended with ${code}: ${stdout}${stderr}`);
  return stdout;
}

/** The package as npm would publish it, installed into an empty project. */
beforeAll(async () => {
  directory = temporaryDirectory();
  project = directory;
  await npm(ROOT, 'run', '--silent', 'build');
  const packed = await npm(ROOT, 'pack', '--silent', '--pack-destination', directory);
  write('package.json', JSON.stringify({ name: 'empty', private: true }));
  await npm(project, 'install', '--no-audit', '--no-fund', `./${packed.trim().split('\n').at(-1)}`);
}, 180_000);
afterAll(() => rmSync(directory, { recursive: true, force: true }));

describe('the package in an empty project', { timeout: 60_000 }, () => {
  it('brings no CDK, no test tools and no sources', () => {
    const has = (path: string): boolean => existsSync(join(project, 'node_modules', path));
    expect(has('kagzi/dist/sdk/index.d.ts')).toBe(true);
    expect(has('kagzi/dist/console/app.js')).toBe(true);
    for (const path of [
      'preact',
      'aws-cdk-lib',
      'constructs',
      'vitest',
      'typescript',
      'kagzi/sdk',
      'kagzi/infra',
      'kagzi/test',
    ]) {
      expect(has(path), path).toBe(false);
    }
  });

  it('has every file its exports name', () => {
    const manifest = readFileSync(join(project, 'node_modules/kagzi/package.json'), 'utf8');
    const paths = manifest.match(/"\.\/[^"]+\.(js|d\.ts)"/g) ?? [];
    expect(paths.length).toBeGreaterThan(5);
    const missing = paths.filter((path) => !existsSync(join(project, 'node_modules/kagzi', path.slice(1, -1))));
    expect(missing).toEqual([]);
  });

  it('runs a workflow that is killed in the middle and goes on without repeating a completed step', async () => {
    write('app.mjs', APP);
    expect(await run('node', 'app.mjs').ended).toMatchObject({ code: 'SIGKILL', stdout: '' });
    write('died-before', '');
    expect(await run('node', 'app.mjs').ended).toMatchObject({ code: 0, stdout: 'true Ada\n' });
    expect(readFileSync(join(project, 'bodies.txt'), 'utf8')).toBe('first second second ');
  });

  it('is typed end to end', async () => {
    write('typed.mts', TYPED);
    const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2023', '--skipLibCheck'];
    const types = ['--typeRoots', join(ROOT, 'node_modules/@types'), '--types', 'node'];
    expect(await run('node', TSC, ...options, ...types, 'typed.mts').ended).toMatchObject({ code: 0, stdout: '' });
  });

  it('signs with AWS credentials', async () => {
    write('signing.mjs', SIGNING);
    const { code, stdout, stderr } = await run('node', 'signing.mjs').ended;
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(
      /^(AWS4-HMAC-SHA256 Credential=AKIA\/\d{8}\/eu-west-1\/execute-api\/aws4_request\n){2}FORBIDDEN\n$/,
    );
  });

  it('has the command', async () => {
    const help = await run('npx', 'kagzi', 'help').ended;
    expect(help.code).toBe(0);
    expect(help.stdout).toContain('start <workflow-type>');
    write('hello.ts', readFileSync(join(ROOT, 'examples/hello.ts'), 'utf8'));
    const port = await freePort();
    const dev = run('node_modules/.bin/kagzi', 'dev', 'hello.ts', '--port', String(port), '--data', 'dev-data');
    await dev.printed('Kagzi is running');
    const url = `http://127.0.0.1:${port}`;
    const page = await fetch(`${url}/console/app.js`);
    expect(page.headers.get('content-type')).toContain('javascript');
    expect((await page.text()).length).toBeGreaterThan(10_000);
    const args = ['start', 'greet', '--input', '{"name": "Ada"}', '--wait', '--url', url];
    const { code, stdout } = await run('node_modules/.bin/kagzi', ...args).ended;
    dev.kill('SIGTERM');
    expect(JSON.parse(stdout)).toMatchObject({ greeting: 'Hello, Ada!' });
    expect(code).toBe(0);
    expect((await dev.ended).code).toBe(0);
  });
});
