// A sleep as long as you like: nothing runs meanwhile. Serve it with `npx kagzi dev examples/reminder.ts`, then
//   npx kagzi start reminder --input '{"text": "tea is ready", "after": "4m"}'
import { type Duration, defineWorkflow } from 'kagzi';

export const reminder = defineWorkflow(
  { type: 'reminder' },
  async (ctx, input: { readonly text: string; readonly after: Duration }) => {
    await ctx.sleep('wait', input.after);
    return ctx.step('remind', ({ log }) => {
      log.info('reminding');
      return { text: input.text, at: new Date() };
    });
  },
);
