import assert from 'node:assert/strict';
import { greet } from '../../../examples/hello.ts';
import { createClient } from '../../../sdk/index.ts';
import { TokenIssuer } from '../http/token-issuer.ts';
import { POLLED_QUEUE } from './e2e-context.ts';
import { E2eWorld } from './e2e-world.ts';
import { runScenarios, type ScenarioResult } from './run-scenarios.ts';
import type { Scenario } from './scenario.ts';

const ISSUER = 'https://login.example.com/kagzi';
const AUDIENCE = 'kagzi-dev';
const CLAIM = 'kagzi_namespaces';

async function statusWith(world: E2eWorld, token: string | null, path = '/v1/shop/runs'): Promise<number> {
  const headers = token === null ? {} : { authorization: `Bearer ${token}` };
  return (await fetch(new URL(path, world.bed.url), { headers })).status;
}

const scenariosWith = (issuer: TokenIssuer, stranger: TokenIssuer): readonly Scenario[] => {
  const mine = { sub: 'shop', aud: AUDIENCE, [CLAIM]: ['shop'] };
  return [
    {
      name: 'with a token that is not theirs, expired, forged or for somebody else, callers get 401',
      short: false,
      async run(world) {
        const now = Math.floor(Date.now() / 1000);
        const token = issuer.issue(mine);
        assert.equal(await statusWith(world, token), 200);
        const [head = '', , signature = ''] = token.split('.');
        const forged = Buffer.from(JSON.stringify({ ...mine, iss: ISSUER, exp: now + 60, [CLAIM]: '*' }));
        const refused: Readonly<Record<string, string | null>> = {
          'no token': null,
          'a wrong audience': issuer.issue({ ...mine, aud: 'another' }),
          'an expired token': issuer.issue({ ...mine, exp: now - 1 }),
          'a token of the future': issuer.issue({ ...mine, nbf: now + 3_600 }),
          'another issuer': issuer.issue({ ...mine, iss: 'https://evil.example.com' }),
          'a key of somebody else': stranger.issue(mine),
          'claims that were not signed': `${head}.${forged.toString('base64url')}.${signature}`,
          'no algorithm': issuer.issue(mine, { alg: 'none' }),
          'no token at all': 'x',
        };
        for (const [what, given] of Object.entries(refused)) assert.equal(await statusWith(world, given), 401, what);
      },
    },
    {
      name: 'a token names its namespaces; others are forbidden',
      short: false,
      async run(world) {
        const token = issuer.issue(mine);
        const client = createClient({ url: world.bed.url, namespace: 'shop', token });
        await world.outputOf(await client.start(greet, { name: 'Alan' }));
        assert.equal(await statusWith(world, token, '/v1/other/runs'), 403);
        assert.equal(await statusWith(world, token, '/v1/namespaces'), 403);
        assert.equal(await statusWith(world, issuer.issue({ ...mine, [CLAIM]: undefined })), 403);
        assert.equal(await statusWith(world, issuer.issue({ ...mine, [CLAIM]: '*' }), '/v1/namespaces'), 200);
        assert.equal(await statusWith(world, null, '/health'), 200);
      },
    },
    {
      name: 'a worker bound to a namespace serves its own, and is refused the items of another',
      short: false,
      async run(world) {
        const { control } = world.bed;
        const tenant = world.bed.function('worker-tenant');
        const start = (namespace: string) => {
          const token = issuer.issue({ ...mine, [CLAIM]: [namespace] });
          const client = createClient({ url: world.bed.url, namespace, token });
          return client.start(greet, { name: 'Radia' }, { taskQueue: POLLED_QUEUE });
        };
        const served = tenant.invocations;
        await world.outputOf(await start('shop'));
        assert.ok(tenant.invocations > served);
        const foreign = await start('other');
        await world.bed.until('a refusal', () => control.refusals.length > 0 && tenant.busy === 0);
        const refusals = control.takeRefusals();
        for (const { role, action, keys } of refusals) {
          assert.match(role, /Tenant/);
          assert.match(action, /^dynamodb:/);
          assert.ok(keys.every((key) => key.startsWith('other#')));
        }
        assert.equal(await foreign.status(), 'PENDING');
        assert.deepEqual(await foreign.steps(), []);
        await foreign.cancel();
      },
    },
  ];
};

/** As users may have it: tokens in place of signatures, and a worker that is bound to a namespace. */
export async function runTokenScenarios(say: (line: string) => void): Promise<readonly ScenarioResult[]> {
  const [issuer, stranger] = [new TokenIssuer(ISSUER), new TokenIssuer(ISSUER)];
  const auth = { mode: 'jwt', issuer: ISSUER, audience: [AUDIENCE] };
  const world = await E2eWorld.open({ auth, issuers: [issuer], app: 'node --import tsx test/infra/tenant-app.ts' });
  try {
    return await runScenarios(world, scenariosWith(issuer, stranger), say);
  } finally {
    await world.close();
  }
}
