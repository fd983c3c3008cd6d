import { createWorker, defineWorkflow } from '../../sdk/index.ts';

/** Tells when it goes on after its sleep. */
export const stackSleeper = defineWorkflow({ type: 'sleeper' }, async (ctx, ms: number) => {
  await ctx.sleep('sleep', ms);
  return ctx.step('after', () => Date.now());
});

/** In place of the worker of the examples. */
export const handler = createWorker({ workflows: [stackSleeper], log: () => undefined }).lambda();
