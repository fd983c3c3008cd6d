import { expect, it } from 'vitest';
import { ROUTES } from '../../functions/api/routes.ts';
import { CI_FUZZ } from './ci-fuzz.ts';
import { fuzz } from './fuzz.ts';
import { fuzzReport } from './fuzz-report.ts';

const { requests } = CI_FUZZ;

it(`answers ${requests} requests, right, nearly right and garbage, as documented, and keeps neighbours apart`, {
  timeout: 600_000,
}, async () => {
  const { result, findings } = await fuzzReport({ ...CI_FUZZ, say: () => undefined });
  console.log(JSON.stringify(result));
  expect(findings).toEqual([]);
  expect(result).toMatchObject({ requests, serverErrors: 0, schemaBreaches: 0, undocumented: 0 });
  expect(result).toMatchObject({ writesOnRefusal: 0, crossNamespace: 0, leaks: 0 });
  // Not only refusals were tried: every route was got right at least once.
  expect(result.routesWithout).toEqual([]);
  expect(result.routes).toBe(ROUTES.length);
  const [good = 0, bad = 0] = ['2', '4'].map((digit) =>
    Object.entries(result.statuses).reduce((sum, [status, count]) => sum + (status.startsWith(digit) ? count : 0), 0),
  );
  expect(good).toBeGreaterThan(requests / 5);
  expect(bad).toBeGreaterThan(requests / 5);
  expect(result.overHttp).toBeGreaterThan(requests / 10);
  expect(result.compared).toBeGreaterThan(requests / 20);
});

it('gets the same answers to the same seed', { timeout: 120_000 }, async () => {
  const run = () => fuzz({ seed: 7, from: 120, requests: 150, say: () => undefined });
  expect(await run()).toEqual(await run());
});
