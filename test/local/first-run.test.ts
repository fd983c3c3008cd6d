import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChildServer, startChildServer } from '../helpers/child-server.ts';
import { temporaryDirectory } from '../helpers/embedded-store.ts';

const README = readFileSync(fileURLToPath(new URL('../../README.md', import.meta.url)), 'utf8');
const SESSION = /<!-- first-run[^\n]*-->\n```sh\n([\s\S]*?)```/.exec(README)?.[1] ?? '';
/** Comments and blank lines stay with the command before them. */
const commands = SESSION.split('\n').filter((line) => line !== '' && !line.startsWith('#'));

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { readonly port: number };
      probe.close(() => resolve(port));
    });
  });
}

interface Session {
  readonly shell: ChildProcess;
  readonly ended: Promise<string>;
}

/** Types the commands, and waits for the file `go` after the given one. */
function typeSession(directory: string, url: string, pauseAfter: number): Session {
  const typed = commands.map((line) => line.replace('http://127.0.0.1:8750', url));
  const wait = `touch ${directory}/ready; until [ -e ${directory}/go ]; do sleep 0.02; done`;
  const script = ['set -e', ...typed.slice(0, pauseAfter), wait, ...typed.slice(pauseAfter)].join('\n');
  const shell = spawn('bash', ['-c', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  shell.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  return { shell, ended: new Promise((resolve) => shell.once('close', () => resolve(output))) };
}

const appears = async (file: string): Promise<void> => {
  while (!existsSync(file)) await new Promise((resolve) => setTimeout(resolve, 20));
};

describe('the first run of the README', () => {
  let directory: string;
  let env: Record<string, string>;
  let server: ChildServer;
  beforeAll(async () => {
    directory = temporaryDirectory();
    env = { KAGZI_DATA_DIR: join(directory, 'data'), KAGZI_SERVER_PORT: String(await freePort()) };
    server = await startChildServer(env);
  });
  afterAll(async () => {
    await server.stop('SIGKILL');
    rmSync(directory, { recursive: true, force: true });
  });

  it('is there to be typed', () => {
    expect(commands.length).toBeGreaterThan(8);
    expect(commands.at(-1)).toContain('?wait=20');
  });

  it.each(commands.map((command, index) => [index + 1, command.slice(0, 60)] as const))(
    'ends in COMPLETED when the server is killed after command %i: %s',
    { timeout: 60_000 },
    async (count) => {
      for (const file of ['ready', 'go']) rmSync(join(directory, file), { force: true });
      const session = typeSession(directory, server.url, count);
      await Promise.race([appears(join(directory, 'ready')), session.ended]);
      await server.stop('SIGKILL');
      server = await startChildServer(env);
      writeFileSync(join(directory, 'go'), '');
      const lines = (await session.ended).trim().split('\n');
      const answers = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
      expect(answers.at(-1)).toMatchObject({ status: 'COMPLETED', output: { greeting: 'Hello, Ada' } });
      const begun = answers.filter((answer) => 'should_execute' in answer);
      expect(begun).toMatchObject([{ should_execute: true }, { should_execute: false, cached_output: 'Hello, Ada' }]);
      expect(answers.filter((answer) => 'error' in answer && answer['error'] !== null)).toEqual([]);
    },
  );
});
