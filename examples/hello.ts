// The smallest workflow. Serve it with `npx kagzi dev examples/hello.ts`, then in another terminal
//   npx kagzi start greet --input '{"name": "Ada"}' --wait
import { defineWorkflow } from 'kagzi';

const example = { name: 'Ada' };

export const greet = defineWorkflow({ type: 'greet', example }, async (ctx, input: { name: string }) => {
  const greeting = await ctx.step('compose', () => `Hello, ${input.name}!`);
  await ctx.sleep('think', '1s');
  const sentAt = await ctx.step('send', () => {
    console.log(greeting);
    return new Date();
  });
  return { greeting, sentAt };
});
