import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { type ChildEngine, startChildEngine } from '../../test/helpers/child-engine.ts';

const DEBIAN = '/usr/lib/postgresql';

/** The folder of the server's programs; null where there is no PostgreSQL. */
export function findPostgres(): string | null {
  const packaged = existsSync(DEBIAN) ? readdirSync(DEBIAN).map((version) => join(DEBIAN, version, 'bin')) : [];
  const folders = [...(process.env['PATH'] ?? '').split(':'), ...packaged.sort().reverse()];
  return folders.find((folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres'))) ?? null;
}

/** PostgreSQL refuses to run as root: there it is the user that its package made. */
const asUser = (): string[] =>
  process.getuid?.() === 0 ? ['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups'] : [];

const isListening = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });

/** A cluster of its own with the settings PostgreSQL comes with: fsync and synchronous_commit are on. */
export async function startPostgres(
  programs: string,
  directory: string,
): Promise<{ readonly server: ChildEngine; readonly url: string }> {
  mkdirSync(directory, { recursive: true });
  chmodSync(directory, 0o777);
  const data = join(directory, 'data');
  const [command = '', ...args] = [
    ...asUser(),
    join(programs, 'initdb'),
    ...['-D', data, '-U', 'bench', '--auth=trust', '--no-instructions'],
  ];
  const { status, stderr } = spawnSync(command, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`initdb failed: ${stderr}`);
  const [launch, ...rest] = [...asUser(), join(programs, 'postgres')];
  const server = await startChildEngine(
    launch,
    (port) => [...rest, '-D', data, '-p', String(port), '-h', '127.0.0.1', '-k', directory],
    isListening,
  );
  return { server, url: `postgresql://bench@127.0.0.1:${server.port}/postgres` };
}
