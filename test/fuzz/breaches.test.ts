import { describe, expect, it } from 'vitest';
import type { Call } from '../../functions/api/call.ts';
import { ROUTES, routeKey } from '../../functions/api/routes.ts';
import { answerProblems } from '../helpers/answer-problems.ts';
import { UNKNOWN_ID } from '../helpers/api-driver.ts';
import type { ApiResponse } from '../helpers/api-response.ts';
import { breachesOf, differsFromUnknown } from './breaches.ts';
import type { Sent } from './fuzz-world.ts';
import type { WireRequest } from './wire-request.ts';

const route = (key: string): Call => {
  const found = ROUTES.find((call) => routeKey(call) === key);
  if (found === undefined) throw new Error(`there is no ${key}`);
  return found;
};
const wire: WireRequest = { method: 'GET', url: '/v1/shop/runs', headers: {}, text: '', base64: false };
const headers = {
  'content-type': 'application/json; charset=utf-8',
  'x-correlation-id': 'c',
  'x-trace-id': '0'.repeat(32),
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
};
const sent = (
  status: number,
  body: unknown,
  more: Partial<Sent & { headers: object; key: string | null }> = {},
): Sent => {
  const call = more.key === null ? null : route(more.key ?? 'GET /v1/{namespace}/runs');
  const answer = { status, body, headers: { ...headers, ...more.headers } } as ApiResponse;
  return { call, answer, problems: answerProblems(call, answer), wrote: more.wrote ?? false };
};
const error = (code: string, message = 'No.') => ({ error: { code, message, details: {} } });
const kinds = (answered: Sent, request = wire): string[] => breachesOf(request, answered).map(({ kind }) => kind);

describe('an answer', () => {
  it('that is right breaks nothing', () => {
    expect(kinds(sent(200, { runs: [], next_page_token: null }))).toEqual([]);
    expect(kinds(sent(400, error('INVALID_ARGUMENT')))).toEqual([]);
    expect(kinds(sent(404, error('ROUTE_NOT_FOUND'), { key: null }))).toEqual([]);
    expect(
      kinds(sent(409, error('LEASE_LOST'), { key: 'POST /v1/{namespace}/runs/{run_id}/complete', wrote: true })),
    ).toEqual([]);
  });

  it.each<readonly [string, string, Sent]>([
    ['is a 500', 'serverError', sent(500, error('INTERNAL'))],
    ['is a 503', 'serverError', sent(503, error('UNAVAILABLE'))],
    ['lacks a field', 'schema', sent(200, { runs: [] })],
    ['has a field too many', 'schema', sent(200, { runs: [], next_page_token: null, more: 1 })],
    ['is no error as we write them', 'schema', sent(400, { message: 'no' })],
    ['has a code of another status', 'schema', sent(400, error('RUN_NOT_FOUND'))],
    [
      'may be kept',
      'schema',
      sent(200, { runs: [], next_page_token: null }, { headers: { 'cache-control': 'public' } }),
    ],
    ['has a status of another route', 'undocumented', sent(409, error('LEASE_LOST'))],
    ['has a code of another route', 'undocumented', sent(404, error('RUN_NOT_FOUND'))],
    ['says of no route what it cannot', 'undocumented', sent(409, error('LEASE_LOST'), { key: null })],
    ['refused and wrote', 'writeOnRefusal', sent(400, error('INVALID_ARGUMENT'), { wrote: true })],
    ['tells of a stack', 'leak', sent(400, error('INVALID_ARGUMENT', 'x\n    at f (a.js:1:2)'))],
    ['tells of a file', 'leak', sent(400, error('INVALID_ARGUMENT', 'see shared/store/keys.ts:17'))],
    ['tells of the database', 'leak', sent(400, error('INVALID_ARGUMENT', 'SQLITE_BUSY'))],
    ['tells of a class', 'leak', sent(400, error('INVALID_ARGUMENT', 'TypeError: x is not a function'))],
  ])('that %s is found', (_what, kind, answered) => {
    expect(kinds(answered)).toContain(kind);
  });

  it('may say again what the caller said', () => {
    const text = 'There is no /TypeError:';
    expect(kinds(sent(404, error('ROUTE_NOT_FOUND', text), { key: null }), { ...wire, url: '/TypeError:' })).toEqual(
      [],
    );
  });
});

describe("a neighbour's thing", () => {
  const key = 'GET /v1/{namespace}/runs/{run_id}';
  const unknown = sent(404, error('RUN_NOT_FOUND', `There is no run ${UNKNOWN_ID}.`), { key });
  const theirs = '01a3185c-5000-7000-8000-00000000000f';

  it('may be answered like one there is not, but for its id', () => {
    expect(
      differsFromUnknown(sent(404, error('RUN_NOT_FOUND', `There is no run ${theirs}.`), { key }), unknown),
    ).toBeNull();
  });

  it.each<readonly [string, Sent]>([
    ['its status', sent(403, error('FORBIDDEN'), { key })],
    ['its code', sent(404, error('STEP_NOT_FOUND', `There is no run ${theirs}.`), { key })],
    ['its words', sent(404, error('RUN_NOT_FOUND', `There is no run ${theirs} of yours.`), { key })],
  ])('is found by %s', (_what, answered) => {
    expect(differsFromUnknown(answered, unknown)).not.toBeNull();
  });
});
