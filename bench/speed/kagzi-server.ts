import { startServer } from '../../local/server.ts';
import { loadSettings } from '../../local/settings.ts';
import { keepHeapSmall } from '../../local/small-heap.ts';
import { createWorker } from '../../sdk/worker/create-worker.ts';
import { WORKFLOWS } from './kagzi-workflows.ts';

/** The one-machine server with a worker in its process, as `npm start` has it: a child that tells its parent the address and its memory. */
keepHeapSmall();
const [directory = '', maxConcurrent = ''] = process.argv.slice(2);
const env = { KAGZI_DATA_DIR: directory, KAGZI_SERVER_PORT: '0' };
const { settings } = loadSettings(env, () => '{}');
const server = await startServer(settings, (line) => void process.stderr.write(line));
createWorker({ workflows: WORKFLOWS, maxConcurrent: Number(maxConcurrent) }).embedded(server.embedded.engine);
const tell = (): void => {
  process.send?.({ url: server.url, memoryBytes: process.memoryUsage.rss() });
};
process.on('message', tell);
process.on('disconnect', () => process.exit(0));
tell();
