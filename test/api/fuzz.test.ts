import fc from 'fast-check';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ROUTES } from '../../functions/api/routes.ts';
import { type ApiFixture, apiFixture } from '../helpers/api-fixture.ts';
import { apiRequests, type FuzzedRequest } from '../helpers/api-requests.ts';
import { settle } from '../helpers/manual-clock.ts';

const SEED = 20_270_115;
const REQUESTS = 1_000;
/** Requests end and delete what they name: now and then there must be new things to name. */
const PER_FIXTURE = 25;

let fixture: ApiFixture;
beforeEach(async () => {
  fixture = await apiFixture();
});
afterEach(() => fixture.test.close());

function resolve(text: string): string {
  const { held, pendingRunId, ended, idleWorkerId, deadLetterId } = fixture;
  return text
    .replaceAll('@held', held.runId)
    .replaceAll('@lease', held.lease)
    .replaceAll('@pending', pendingRunId)
    .replaceAll('@ended', ended.runId)
    .replaceAll('@worker', idleWorkerId)
    .replaceAll('@letter', deadLetterId);
}

const encode = (value: unknown): string =>
  encodeURIComponent(resolve(typeof value === 'string' ? value : JSON.stringify(value)).toWellFormed());

function urlOf({ path, params, query }: FuzzedRequest): string {
  const filled = path.replace(/\{(\w+)\}/g, (_whole, name: string) => encode(params[name] ?? ''));
  const pairs = Object.entries(query).map(([name, value]) => `${encodeURIComponent(name)}=${encode(value)}`);
  return pairs.length === 0 ? filled : `${filled}?${pairs.join('&')}`;
}

/** Rows written since the store was opened. */
const writes = (): number => {
  const row = fixture.test.embedded.store.prepare('SELECT total_changes() AS n').get() as { readonly n: number };
  return row.n;
};

async function send(request: FuzzedRequest) {
  const gone = new AbortController();
  const text = request.body === undefined ? '' : resolve(JSON.stringify(request.body));
  const headers = { 'content-type': request.contentType };
  const answer = fixture.api.send(request.method, urlOf(request), undefined, { text, headers, signal: gone.signal });
  answer.catch(() => undefined);
  // Those who wait do so on a clock that stands still.
  await settle();
  gone.abort();
  return answer;
}

it(`answers ${REQUESTS} requests, right, nearly right and garbage, as documented and never with a 5xx (seed ${SEED})`, async () => {
  const seen = new Map<string, number>();
  const routes = new Set<string>();
  let sent = 0;
  const property = fc.asyncProperty(apiRequests, async (request) => {
    if (++sent % PER_FIXTURE === 0) {
      await fixture.test.close();
      fixture = await apiFixture();
    }
    const before = writes();
    // The client checks that the status, the code and the body are documented.
    const { status } = await send(request);
    // An engine that was told to drain is not ready: that is the one 503 a caller can bring about.
    expect(status < 500 || request.path === '/ready', `${status}`).toBe(true);
    const refused = [400, 404, 405, 413, 415].includes(status);
    expect(refused && writes() !== before, `a ${status} wrote something`).toBe(false);
    const kind = `${Math.floor(status / 100)}xx`;
    seen.set(kind, (seen.get(kind) ?? 0) + 1);
    if (status < 300) routes.add(`${request.method} ${request.path}`);
  });
  await fc.assert(property, { seed: SEED, numRuns: REQUESTS, endOnFailure: true });
  expect(seen.get('2xx')).toBeGreaterThan(REQUESTS / 5);
  expect(seen.get('4xx')).toBeGreaterThan(REQUESTS / 5);
  // Not only refusals were tried: nearly every route was got right by chance.
  expect(routes.size).toBeGreaterThan(ROUTES.length * 0.8);
});
