import assert from 'node:assert/strict';
import { greet } from '../../../../examples/hello.ts';
import { SigV4Signer } from '../../../../shared/aws/sigv4-signer.ts';
import { type Caller, newCaller } from '../../http/caller.ts';
import { REGION } from '../../template/physical-resource.ts';
import type { E2eWorld } from '../e2e-world.ts';
import type { Scenario } from '../scenario.ts';

type Change = (headers: Record<string, string>) => Record<string, string>;

interface Attempt {
  readonly what: string;
  readonly signedBy: Caller | null;
  readonly aheadMs?: number;
  readonly change?: Change;
  readonly path?: string;
}

/** The status that a request to list runs gets. */
async function statusOf(
  world: E2eWorld,
  { signedBy, aheadMs = 0, change = (as) => as, path }: Attempt,
): Promise<number> {
  const url = new URL(path ?? '/v1/shop/runs', world.bed.url);
  if (signedBy === null) return (await fetch(url)).status;
  const signer = new SigV4Signer({
    hostname: url.hostname,
    credentials: signedBy.credentials,
    region: REGION,
    now: () => Date.now() + aheadMs,
  });
  const signed = await signer.sign({ method: 'GET', url, headers: {}, body: '' });
  return (await fetch(url, { headers: change({ ...signed }) })).status;
}

const HOUR = 3_600_000;

export const ACCESS: readonly Scenario[] = [
  {
    name: 'no credentials, unknown ones, a bad signature and an expired date get 403',
    short: true,
    async run(world) {
      const { shop } = world;
      assert.equal(await statusOf(world, { what: 'as it should be', signedBy: shop }), 200);
      const attempts: readonly Attempt[] = [
        { what: 'nothing', signedBy: null },
        { what: 'unknown credentials', signedBy: newCaller('nobody', ['*']) },
        { what: 'an expired date', signedBy: shop, aheadMs: -HOUR },
        { what: 'a date to come', signedBy: shop, aheadMs: HOUR },
        {
          what: 'a bad signature',
          signedBy: shop,
          change: (headers) => ({
            ...headers,
            authorization: String(headers['authorization']).replace(/Signature=./, 'Signature=g'),
          }),
        },
        {
          what: 'a signature of something else',
          signedBy: shop,
          change: (headers) => ({
            ...headers,
            authorization: String(headers['authorization']).replace(/.$/, (last) => (last === '0' ? '1' : '0')),
          }),
        },
        { what: 'a path of administrators', signedBy: shop, path: '/v1/namespaces' },
      ];
      for (const attempt of attempts) assert.equal(await statusOf(world, attempt), 403, attempt.what);
      assert.equal(await statusOf(world, { what: 'health', signedBy: null, path: '/health' }), 200);
    },
  },
  {
    name: 'principals of two namespaces cannot see each other',
    short: true,
    async run(world) {
      const { bed, shop, other } = world;
      const handle = await world.client().start(greet, { name: 'Barbara' }, { externalId: 'mine' });
      const same = await world.client(other, 'other').start(greet, { name: 'Barbara' }, { externalId: 'mine' });
      assert.notEqual(handle.runId, same.runId);
      await assert.rejects(world.client(other, 'shop').run(handle.runId).get(), { status: 403 });
      await assert.rejects(world.client(shop, 'other').run(same.runId).get(), { status: 403 });
      await assert.rejects(world.client(other, 'other').run(handle.runId).get(), { code: 'RUN_NOT_FOUND' });
      const seen: string[] = [];
      for await (const { runId } of world.client(other, 'other').list()) seen.push(runId);
      assert.deepEqual(seen, [same.runId]);
      const tricks = ['/v1/shop%2Fruns', '/v1/shop%2F..%2Fother/runs', '/v1/other/..%2F..%2Fv1/shop/runs'];
      for (const path of tricks) {
        const status = await statusOf(world, { what: path, signedBy: other, path });
        assert.ok(status >= 400 && status < 500, `${path} answered ${status}`);
      }
      const admin = bed.addCaller('administrator');
      const { namespaces } = await world
        .api(admin)
        .call<{ namespaces: readonly { name: string }[] }>({ path: '/v1/namespaces' });
      assert.deepEqual(namespaces.map(({ name }) => name).sort(), ['other', 'shop']);
      await Promise.all([world.outputOf(handle), world.outputOf(same)]);
    },
  },
];
