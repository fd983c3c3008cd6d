import { openEmbedded } from '../../local/embedded.ts';
import { createClient, createWorker, defineWorkflow } from '../../sdk/index.ts';

/** A process whose workflow code leaves a rejection unhandled for a while; `foreign` makes it nobody's step's. */
const [, , directory = '', whose] = process.argv;

const flow = defineWorkflow({ type: 'flow' }, async (ctx) => {
  const slow = async () => ctx.step('slow', () => new Promise((resolve) => setTimeout(resolve, 200, 'slow')));
  const fast = async () => {
    await ctx.step('fast', () => Promise.reject(new Error('fast broke')), { retry: 'none' });
  };
  const first = slow();
  const second = fast();
  if (whose === 'foreign') void Promise.reject(new Error('not of a step'));
  try {
    return [await first, await second];
  } catch (error) {
    return `caught: ${(error as Error).message}`;
  }
});

const { engine, close } = await openEmbedded(directory);
const worker = createWorker({ workflows: [flow], log: (_level, message) => console.log(message) }).embedded(engine);
const run = await createClient({ embedded: engine }).start(flow);
console.log(await run.result());
await worker.stop();
await close();
