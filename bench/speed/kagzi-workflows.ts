import { defineWorkflow } from '../../sdk/define-workflow.ts';
import { monotonicMs } from './monotonic.ts';
import { instantPayload, PAYLOAD, readInstant } from './payload.ts';
import { noteStep, STEPS } from './step-notes.ts';

export const tenSteps = defineWorkflow({ type: 'ten-steps' }, async (ctx, input: string) => {
  let last = input;
  for (let n = 0; n < STEPS; n++) last = await ctx.step(`step-${n}`, () => PAYLOAD);
  return last;
});

export const fanOut = defineWorkflow({ type: 'fan-out' }, async (ctx, input: string) => {
  const steps = Array.from({ length: STEPS }, (_, n) => ctx.step(`step-${n}`, () => PAYLOAD));
  return (await Promise.all(steps)).at(-1) ?? input;
});

export const firstBody = defineWorkflow({ type: 'first-body' }, (ctx, _input: string) =>
  ctx.step('first', () => instantPayload(monotonicMs())),
);

export const sleeper = defineWorkflow({ type: 'sleeper' }, async (ctx, ms: number) => {
  const before = await ctx.step('before', () => instantPayload(monotonicMs()));
  await ctx.sleep('sleep', ms);
  const after = await ctx.step('after', () => instantPayload(monotonicMs()));
  return readInstant(after) - readInstant(before) - ms;
});

export const interrupted = defineWorkflow({ type: 'interrupted' }, async (ctx, noteFile: string) => {
  for (let n = 0; n < STEPS; n++) await ctx.step(`step-${n}`, () => noteStep(noteFile, n));
});

/** Its instants are kept by the process: an output of all of them would be a payload of its own kind. */
export const instants: number[] = [];
export const longRun = defineWorkflow({ type: 'long-run' }, async (ctx, steps: number) => {
  for (let n = 0; n < steps; n++) {
    await ctx.step(`step-${n}`, () => {
      instants.push(monotonicMs());
      return PAYLOAD;
    });
  }
});

export const WORKFLOWS = [tenSteps, fanOut, firstBody, sleeper, interrupted, longRun];
