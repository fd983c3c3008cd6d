import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { createClient } from '../../sdk/client/create-client.ts';
import type { Contender, ContenderOptions } from './contender.ts';
import { asContender } from './kagzi-contender.ts';

const SERVER = fileURLToPath(new URL('kagzi-server.js', import.meta.url));

interface Told {
  readonly url: string;
  readonly memoryBytes: number;
}

async function told(server: ChildProcess): Promise<Told> {
  const [message] = (await once(server, 'message')) as [Told];
  return message;
}

/** The one-machine server and its worker in a process of their own, the client in this one. */
export async function kagziHttp({ directory, maxConcurrent }: ContenderOptions): Promise<Contender> {
  // What the server logs goes nowhere, as it would to a file.
  const server = fork(SERVER, [directory, String(maxConcurrent)], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
  const { url } = await told(server);
  return {
    ...asContender(createClient({ url })),
    async memoryBytes() {
      server.send('memory');
      return (await told(server)).memoryBytes;
    },
    async close() {
      server.disconnect();
      await once(server, 'exit');
    },
  };
}
