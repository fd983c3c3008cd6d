import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ROUTES, routeKey } from '../../functions/api/routes.ts';
import { routeRequest } from '../../local/api-event.ts';
import { errorOf, SHOP } from '../helpers/api-driver.ts';
import { type ApiFixture, apiFixture } from '../helpers/api-fixture.ts';
import { badBodies } from '../helpers/bad-bodies.ts';
import { badSchedules } from '../helpers/bad-schedules.ts';
import { badUrls } from '../helpers/bad-urls.ts';
import type { BadRequest } from '../helpers/bad-values.ts';
import { dumpStore } from '../helpers/dump-store.ts';

let fixture: ApiFixture;
let before: unknown;
beforeAll(async () => {
  fixture = await apiFixture();
});
afterAll(() => fixture.test.close());
beforeEach(async () => {
  before = await dumpStore(fixture.test);
});

async function expectNothingWritten(why: string): Promise<void> {
  const after = await dumpStore(fixture.test);
  expect(isDeepStrictEqual(after, before), `${why} wrote something`).toBe(true);
}

const badRequests = (): readonly BadRequest[] => [...badBodies(fixture), ...badSchedules(fixture), ...badUrls(fixture)];
const label = ({ method, url, why }: BadRequest): string => `${method} ${url.slice(0, 120)}: ${why}`;

describe.each(ROUTES.map((call) => [routeKey(call)] as const))('%s', (key) => {
  it('refuses what is wrong, and changes nothing', async () => {
    const ofRoute = badRequests().filter(({ method, url }) => {
      const { call } = routeRequest(method, url);
      return call !== null && routeKey(call) === key;
    });
    for (const bad of ofRoute) {
      const answer = await fixture.api.send(
        bad.method,
        bad.url,
        bad.body,
        bad.text === undefined ? {} : { text: bad.text },
      );
      expect(answer.status, label(bad)).toBe(400);
      expect(errorOf(answer).code, label(bad)).toMatch(/^INVALID_(ARGUMENT|PAGE_TOKEN)$/);
      await expectNothingWritten(label(bad));
    }
  });
});

it('every bad request is for a route there is, and every route gets some', () => {
  const hit = new Set<string>();
  for (const bad of badRequests()) {
    const { call } = routeRequest(bad.method, bad.url);
    expect(call, label(bad)).not.toBeNull();
    if (call !== null) hit.add(routeKey(call));
  }
  expect(ROUTES.map(routeKey).filter((key) => !hit.has(key))).toEqual([]);
});

describe('a body that is no good', () => {
  const url = `${SHOP}/runs`;
  const deep = (levels: number): string =>
    `{"workflow_type":"order","input":${'['.repeat(levels)}${']'.repeat(levels)}}`;
  const refused: readonly (readonly [string, string, number])[] = [
    ['is cut off', '{"workflow_type":"order"', 400],
    ['has a trailing comma', '{"workflow_type":"order",}', 400],
    ['is two values', '{"workflow_type":"order"} {}', 400],
    ['begins with a byte order mark', '\ufeff{"workflow_type":"order"}', 400],
    ['is no JSON at all', 'workflow_type=order', 400],
    ['is NaN', 'NaN', 400],
    ['is nested 201 levels', deep(200), 400],
    ['is nested 100,000 levels', deep(100_000), 400],
    ['never closes what it opens', '['.repeat(1_000_000), 400],
    ['is one byte over 5 MiB', `{"x":"${'x'.repeat(5 * 1024 * 1024 - 7)}"}`, 413],
    ['is over 5 MiB in bytes, not in characters', `{"x":"${'é'.repeat(3 * 1024 * 1024)}"}`, 413],
  ];
  it.each(refused)('%s', async (why, text, status) => {
    expect((await fixture.api.post(url, undefined, { text })).status).toBe(status);
    expect((await fixture.api.post(url, undefined, { text, base64: true })).status).toBe(status);
    await expectNothingWritten(why);
  });

  const types = [
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/jsonp',
    'text/json',
    'application/json5',
    '',
  ];
  it.each(types)('comes as "%s"', async (type) => {
    const answer = await fixture.api.post(url, { workflow_type: 'order' }, { headers: { 'content-type': type } });
    expect(answer.status).toBe(415);
    await expectNothingWritten(type);
  });
});
