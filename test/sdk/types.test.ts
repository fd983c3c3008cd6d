import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { fromIni } from '@aws-sdk/credential-provider-ini';
import type { defaultProvider } from '@aws-sdk/credential-provider-node';
import { expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import { type Client, createClient, createWorker, defineWorkflow, type WorkflowContext } from '../../sdk/index.ts';

const order = defineWorkflow({ type: 'order' }, async (ctx, input: { amount: number }) => {
  const charged = await ctx.step('charge', () => ({ id: 'c-1', amount: input.amount }));
  return { charge: charged.id };
});
const greet = defineWorkflow(
  { type: 'greet', input: z.object({ name: z.string().default('you') }) },
  async (_ctx, { name }) => name.length,
);
const url = 'http://127.0.0.1:1';
const nothing = defineWorkflow({ type: 'nothing' }, async () => 'ok');

interface Aws {
  readonly fromIni: typeof fromIni;
  readonly defaultProvider: typeof defaultProvider;
  readonly client: DynamoDBClient;
}

/** Never run: `tsc` says whether what should be an error is one. */
async function misuse(client: Client, ctx: WorkflowContext, aws: Aws): Promise<void> {
  // @ts-expect-error the input lacks amount
  await client.start(order, {});
  // @ts-expect-error amount is a number
  await client.start(order, { amount: '1' });
  // @ts-expect-error an order needs input
  await client.start(order);
  await client.start(nothing);
  // The schema has a default, so callers may leave the name out.
  await client.start(greet, {});
  // @ts-expect-error the name is a text
  await client.start(greet, { name: 1 });
  // @ts-expect-error there is no such workflow
  await client.start('order', { amount: 1 });
  const result = await (await client.start(order, { amount: 1 })).result();
  // @ts-expect-error the output has no such field
  void result.parcel;
  const charged = await ctx.step('charge', () => ({ id: 'c-1' }));
  // @ts-expect-error the step returns no amount
  void charged.amount;
  // @ts-expect-error a child's input is checked too
  await ctx.call('child', order, { amount: null });
  // @ts-expect-error a step needs a body
  await ctx.step('charge');
  // @ts-expect-error no such option
  await ctx.step('charge', () => 1, { retries: 3 });
  createClient({ url, credentials: 'default' });
  createClient({ url, credentials: { profile: 'shop' }, region: 'eu-west-1' });
  createClient({ url, credentials: { accessKeyId: 'a', secretAccessKey: 's' } });
  createClient({ url, credentials: aws.fromIni() });
  createClient({ url, credentials: aws.defaultProvider() });
  createClient({ url, credentials: aws.client.config.credentials });
  // @ts-expect-error a token or credentials
  createClient({ url, token: 't', credentials: 'default' });
  // @ts-expect-error there is nothing to sign with
  createClient({ url, token: 't', region: 'eu-west-1' });
  // @ts-expect-error a profile is named so
  createClient({ url, credentials: 'shop' });
  // @ts-expect-error half a key
  createWorker({ workflows: [order] }).poll({ url, credentials: { accessKeyId: 'a' } });
  createWorker({ workflows: [order] }).poll({ url, credentials: 'default', region: 'eu-west-1' });
}

it('infers what goes in and what comes out', () => {
  const client = createClient({ url: 'http://127.0.0.1:1' });
  expectTypeOf<Parameters<typeof client.start<typeof order>>[1]>().toEqualTypeOf<{ amount: number }>();
  type Result = Awaited<ReturnType<Awaited<ReturnType<typeof client.start<typeof order>>>['result']>>;
  expectTypeOf<Result>().toEqualTypeOf<{ charge: string }>();
  expectTypeOf<Parameters<typeof greet.run>[1]>().toEqualTypeOf<{ name: string }>();
  expect(misuse).toBeTypeOf('function');
});

it('types parallel, map and race by their branches', () => {
  const flow = async (ctx: WorkflowContext) => {
    const named = await ctx.parallel({ a: (c) => c.step('x', () => 1), b: (c) => c.step('y', () => 'text') });
    expectTypeOf(named).toEqualTypeOf<{ a: number; b: string }>();
    const mapped = await ctx.map(['a', 'b'], (item, c) => c.step('x', () => item.length));
    expectTypeOf(mapped).toEqualTypeOf<number[]>();
    const settled = await ctx.map([1], (n) => n, { mode: 'collect-all' });
    expectTypeOf(settled).toEqualTypeOf<PromiseSettledResult<number>[]>();
    const raced = await ctx.race([(c) => c.step('x', () => 1), (c) => c.step('y', () => 'text')]);
    expectTypeOf(raced).toEqualTypeOf<number | string>();
  };
  expect(flow).toBeTypeOf('function');
});
