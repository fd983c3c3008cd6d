import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type LocalServer, startServer } from './server.ts';
import { loadSettings, type Settings, SettingsError } from './settings.ts';
import { StoreOpenError } from './store-open-error.ts';
import { welcome } from './welcome.ts';

const toLog = (line: string): void => void process.stderr.write(line);

function fail(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

/** One line for what a person can mend; anything else is a bug and shows its stack. */
function explain(error: unknown, settings?: Settings): string {
  if (error instanceof SettingsError || error instanceof StoreOpenError) return error.message;
  const { code } = error as { readonly code?: string };
  const address = settings && `${settings.serverHost}:${settings.serverPort}`;
  if (code === 'EADDRINUSE') return `The address ${address} is in use; choose another port with KAGZI_SERVER_PORT`;
  if (code === 'EACCES') return `The address ${address} may not be listened on; choose another with KAGZI_SERVER_PORT`;
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') return `${address} is no address of this machine`;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

function stopOnSignal(server: LocalServer): void {
  let stopping = false;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (stopping) process.exit(1);
      stopping = true;
      process.stdout.write('Stopping: no new work, requests in flight finish first.\n');
      server.stop().then(
        () => process.exit(0),
        (error: unknown) => fail(explain(error)),
      );
    });
  }
}

async function main(): Promise<void> {
  let settings: Settings | undefined;
  try {
    const loaded = loadSettings(process.env, (path) => readFileSync(path, 'utf8'));
    settings = { ...loaded.settings, dataDir: resolve(loaded.settings.dataDir) };
    for (const warning of loaded.warnings) process.stderr.write(`${warning}\n`);
    const server = await startServer(settings, toLog);
    stopOnSignal(server);
    process.stdout.write(welcome(server, settings));
  } catch (error) {
    fail(explain(error, settings));
  }
}

await main();
