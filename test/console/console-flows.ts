import { existsSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { defineWorkflow } from 'kagzi';

/** Ends at once with what it was given. */
export const echo = defineWorkflow(
  { type: 'echo', example: { text: 'hello' } },
  async (ctx, input: { text: string }) => {
    await ctx.step('repeat', () => input);
    return input;
  },
);

/** Goes on when a file is there. */
export const brew = defineWorkflow(
  { type: 'brew', example: { kettle: '/dev/null' } },
  async (ctx, { kettle }: { kettle: string }) => {
    await ctx.step('boil', async ({ signal }) => {
      while (!existsSync(kettle)) await pause(20, undefined, { signal });
    });
  },
);

export const nap = defineWorkflow({ type: 'nap', example: { for: '1h' } }, async (ctx) => {
  await ctx.step('undress', () => 'done');
  await ctx.sleep('night', '1h');
});

/** Fails twice, and then for good. */
export const stumble = defineWorkflow({ type: 'stumble' }, async (ctx) => {
  await ctx.step(
    'cross-the-river',
    ({ attempt }) => {
      throw new TypeError(`no bridge on attempt ${attempt}`);
    },
    { retry: { attempts: 2, initial: '50ms' } },
  );
});

export const march = defineWorkflow({ type: 'march' }, async (ctx, input: { steps: number }) => {
  for (let done = 0; done < input.steps; done += 20) {
    await Promise.all(Array.from({ length: 20 }, (_, n) => ctx.step(`step-${done + n + 1}`, () => done + n + 1)));
  }
  return input.steps;
});
