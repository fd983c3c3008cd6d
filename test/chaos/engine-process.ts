import { startServer } from '../../local/server.ts';
import { loadSettings } from '../../local/settings.ts';
import { createWorker } from '../../sdk/index.ts';
import { Ledger } from './ledger.ts';
import { programWorkflow } from './program-workflow.ts';

/** The one-machine server with a worker inside, to be killed or frozen. Tells its parent where it listens. */
export interface EngineArguments {
  readonly dataDir: string;
  readonly ledgers: string;
  readonly name: string;
  readonly taskQueue: string;
  readonly maxConcurrent: number;
  readonly env: Readonly<Record<string, string>>;
}

/** A direct worker starts bodies on a proof that was sent less than this ago. */
const PROOF_MS = 1_000;
/** Nobody held this store when this process came: whatever it proves, it has proved since. */
const BORN_AT = Date.now();

const { dataDir, ledgers, name, taskQueue, maxConcurrent, env } = JSON.parse(
  process.argv[2] ?? '{}',
) as EngineArguments;
process.once('disconnect', () => process.exit(1));

const { settings } = loadSettings({ ...env, KAGZI_DATA_DIR: dataDir, KAGZI_SERVER_PORT: '0' }, () => '');
const server = await startServer(settings, (line) => void process.stderr.write(line));
const ledger = new Ledger(ledgers, name);
const provenFrom = (_key: string, now: number): number => Math.max(BORN_AT, now - PROOF_MS);
const worker = createWorker({
  workflows: [programWorkflow(ledger, provenFrom)],
  taskQueue,
  maxConcurrent,
  log: () => undefined,
}).embedded(server.embedded.engine);

process.once('SIGTERM', () => {
  void worker
    .stop(0)
    .then(() => server.stop())
    .then(() => process.exit(0));
});
process.send?.({ url: server.url });
