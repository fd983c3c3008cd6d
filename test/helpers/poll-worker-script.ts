import { createWorker, defineWorkflow } from '../../sdk/index.ts';

/** A worker of its own process, to be killed or told to stop: prints what its bodies do. */
const [url = '', mode = ''] = process.argv.slice(2);
const say = (line: string): void => void process.stdout.write(`${line}\n`);

const flow = defineWorkflow({ type: 'flow' }, async (ctx) => {
  const first = await ctx.step('first', () => {
    say('first');
    return 1;
  });
  const second = await ctx.step('second', async () => {
    say('second');
    if (mode === 'hang') await new Promise(() => undefined);
    await new Promise((resolve) => setTimeout(resolve, 300));
    return 2;
  });
  return first + second + (await ctx.step('third', () => 3));
});

const once = defineWorkflow({ type: 'once' }, async (ctx) => {
  try {
    await ctx.step(
      'charge',
      async () => {
        say('charge');
        if (mode === 'hang') await new Promise(() => undefined);
      },
      { atMostOnce: true },
    );
    return 'charged';
  } catch (error) {
    return (error as { readonly code: string }).code;
  }
});

const worker = createWorker({ workflows: [flow, once], log: () => undefined }).poll({ url, drainTimeout: '10s' });
say('started');
await worker.done;
say('stopped');
