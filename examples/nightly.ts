import { createClient, defineWorkflow } from 'kagzi';

/** A report for a region, which a schedule starts every night; one that is caught up or backfilled is of its own night. */
export const report = defineWorkflow({ type: 'report' }, async (ctx, input: { readonly region: string }) => {
  const night = (ctx.run.fireAt ?? ctx.run.createdAt).toISOString().slice(0, 10);
  const orders = await ctx.step('count orders', async () => input.region.length);
  return { region: input.region, night, orders };
});

/** Run it once: `npx tsx examples/nightly.ts`, with `npx kagzi dev examples/nightly.ts` beside it. */
if (process.argv[1] === import.meta.filename) {
  const client = createClient({ url: process.env['KAGZI_URL'] ?? 'http://127.0.0.1:8750' });
  const nightly = await client.schedules.create(report, {
    id: 'nightly-report',
    cron: '0 2 * * *',
    timeZone: 'Europe/Berlin',
    input: { region: 'eu' },
    overlap: 'skip',
  });
  console.log('fires next at', (await nightly.next({ count: 1 }))[0]);
}
