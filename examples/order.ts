// Order fulfilment: steps, a retry, things in parallel, a sleep and a child workflow.
// Serve it with `npx kagzi dev examples/order.ts`, then in another terminal
//   npx kagzi start order --input '{"amount": 42}' --wait
// Kill the server with `kill -9` while an order is on its way and start it again: the order goes on where it was.
import { setTimeout as pause } from 'node:timers/promises';
import { defineWorkflow, NonRetryableError } from 'kagzi';

interface Order {
  readonly amount: number;
  readonly items?: readonly string[];
}

/** A workflow of its own, with its own history; `order` waits for it without holding anything. */
export const shipment = defineWorkflow(
  { type: 'shipment', example: { items: ['book'] } },
  async (ctx, input: { items: readonly string[] }) => {
    const parcel = await ctx.step('pack', () => `parcel of ${input.items.join(', ')}`);
    await ctx.sleep('collection', '1s');
    const trackingId = await ctx.step('hand-over', ({ idempotencyKey }) => `T-${idempotencyKey.slice(-8)}`);
    return { parcel, trackingId };
  },
);

export const order = defineWorkflow({ type: 'order', example: { amount: 42 } }, async (ctx, input: Order) => {
  const items = input.items ?? ['book'];

  // Checks side by side; each branch has its own context.
  const checks = await ctx.parallel({
    stock: (branch) =>
      branch.step('reserve-stock', ({ log }) => {
        log.info('reserving', { items: items.length });
        return { reserved: items.length };
      }),
    risk: (branch) => branch.step('assess-risk', () => ({ score: input.amount > 10_000 ? 90 : 10 })),
  });
  if (checks.risk.score > 80) throw new NonRetryableError('The order looks risky.', { code: 'RISKY_ORDER' });

  // The payment service is slow and fails at first; the key lets it recognise a second attempt.
  const payment = await ctx.step(
    'charge',
    async ({ attempt, idempotencyKey, signal, log }) => {
      log.info('charging', { amount: input.amount, attempt });
      await pause(2_000, undefined, { signal });
      if (attempt === 1) throw new Error('the payment service is busy');
      return { charged: input.amount, reference: idempotencyKey.slice(-8) };
    },
    { retry: { attempts: 5, initial: '500ms' }, timeout: '10s' },
  );

  // A second here, but it could be three days: nothing runs meanwhile.
  await ctx.sleep('settle', '1s');

  const shipped = await ctx.call('ship', shipment, { items });
  await ctx.step('confirm', ({ log }) => log.info('confirming', { tracking_id: shipped.trackingId }));
  return { ...payment, ...shipped };
});
