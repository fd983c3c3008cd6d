import { openEmbedded } from '../../local/embedded.ts';
import type { Client } from '../../sdk/client/client.ts';
import { createClient } from '../../sdk/client/create-client.ts';
import { createWorker } from '../../sdk/worker/create-worker.ts';
import type { Contender, ContenderOptions, KagziContender } from './contender.ts';
import { fillStore } from './fill-store.ts';
import { fanOut, firstBody, instants, interrupted, longRun, sleeper, tenSteps, WORKFLOWS } from './kagzi-workflows.ts';
import { PAYLOAD, readInstant } from './payload.ts';

const YEARS_MS = 5 * 365 * 86_400_000;

/** What a client does is the same in process and over HTTP. */
export const asContender = (client: Client): Omit<Contender, 'memoryBytes' | 'close'> => ({
  async tenSteps() {
    await (await client.start(tenSteps, PAYLOAD)).result();
  },
  async fanOut() {
    await (await client.start(fanOut, PAYLOAD)).result();
  },
  async firstBodyAt() {
    return readInstant(await (await client.start(firstBody, PAYLOAD)).result());
  },
  async sleepLateness(ms) {
    return (await client.start(sleeper, ms)).result();
  },
  async startInterrupted(noteFile) {
    return (await client.start(interrupted, noteFile)).runId;
  },
  async endInterrupted(run) {
    await client.run(run).result();
  },
});

/** As it ships: engine, worker and client in one process, every answer after its fsync. */
export async function kagzi({ directory, maxConcurrent }: ContenderOptions): Promise<KagziContender> {
  const embedded = await openEmbedded(directory);
  const { engine } = embedded;
  const worker = createWorker({ workflows: WORKFLOWS, maxConcurrent }).embedded(engine);
  const client = createClient({ embedded: engine });
  return {
    ...asContender(client),
    async longRun(steps) {
      instants.length = 0;
      await (await client.start(longRun, steps)).result();
      return instants;
    },
    async fill(runs, what) {
      const run = await (what === 'finished' ? client.start(tenSteps, PAYLOAD) : client.start(sleeper, YEARS_MS));
      while ((await run.status()) !== (what === 'finished' ? 'COMPLETED' : 'SLEEPING')) {
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      await fillStore(engine, 'default', run.runId, runs - 1);
    },
    memoryBytes: async () => process.memoryUsage.rss(),
    async close() {
      await worker.stop(0);
      await embedded.close();
    },
  };
}
