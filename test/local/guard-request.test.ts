import type { IncomingHttpHeaders } from 'node:http';
import { describe, expect, it } from 'vitest';
import type { Access } from '../../functions/api/call.ts';
import { guardRequest } from '../../local/guard-request.ts';
import { KagziError } from '../../shared/model/errors.ts';

type GuardSettings = Parameters<typeof guardRequest>[0];

const TOKEN = 'user-token-0123456789';
const ADMIN = 'admin-token-0123456789';
const OPEN: GuardSettings = { serverHost: '127.0.0.1', apiToken: undefined, adminToken: undefined, allowedOrigins: [] };
const HOST = { host: '127.0.0.1:8750' };

/** The code it is refused with; null if it may pass. */
function refusal(
  settings: Partial<GuardSettings>,
  headers: IncomingHttpHeaders,
  access: Access = 'user',
): string | null {
  try {
    guardRequest({ ...OPEN, ...settings }, headers, access);
    return null;
  } catch (error) {
    return error instanceof KagziError ? error.code : String(error);
  }
}

describe('a server on loopback', () => {
  it.each(['127.0.0.1', '127.0.0.1:8750', 'localhost', 'LocalHost:1', '[::1]', '[::1]:8750', '127.9.9.9:80'])(
    'answers to the host %s',
    (host) => expect(refusal({}, { host })).toBeNull(),
  );

  it.each([
    'evil.example',
    'evil.example:8750',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    'evil.example#127.0.0.1',
    '127.0.0.1@evil.example',
    '0.0.0.0:8750',
    '[::2]',
    '10.0.0.1',
    '127.0.0.1:8750:80',
    'localhost:x',
    '',
  ])('refuses the host %j', (host) => expect(refusal({}, { host })).toBe('FORBIDDEN'));

  it('refuses a request without a host, an open call too', () => {
    expect(refusal({}, {})).toBe('FORBIDDEN');
    expect(refusal({}, { host: 'evil.example' }, 'open')).toBe('FORBIDDEN');
  });

  it.each(['localhost', '::1', '127.0.0.1'])('that listens on %s is one', (serverHost) => {
    expect(refusal({ serverHost }, { host: 'evil.example' })).toBe('FORBIDDEN');
  });
});

it('a server that the network reaches answers to any host, since callers need a token', () => {
  expect(refusal({ serverHost: '0.0.0.0', apiToken: TOKEN }, { host: 'kagzi.internal' })).toBe('UNAUTHENTICATED');
  const headers = { host: 'kagzi.internal', authorization: `Bearer ${TOKEN}` };
  expect(refusal({ serverHost: '0.0.0.0', apiToken: TOKEN }, headers)).toBeNull();
});

describe('pages of a browser', () => {
  const allowed = { allowedOrigins: ['https://console.example'] };
  it.each<readonly [string, Partial<GuardSettings>, string | undefined, string | null]>([
    ['no origin: not a page', {}, undefined, null],
    ['the origin of the server itself', {}, 'http://127.0.0.1:8750', null],
    ['another port', {}, 'http://127.0.0.1:3000', 'FORBIDDEN'],
    ['another name of the same machine', {}, 'http://localhost:8750', 'FORBIDDEN'],
    ['another scheme', {}, 'https://127.0.0.1:8750', 'FORBIDDEN'],
    ['a page of the web', {}, 'https://evil.example', 'FORBIDDEN'],
    ['a sandboxed page or a file', {}, 'null', 'FORBIDDEN'],
    ['an empty origin', {}, '', 'FORBIDDEN'],
    ['an allowed one', allowed, 'https://console.example', null],
    ['one that begins like an allowed one', allowed, 'https://console.example.evil.example', 'FORBIDDEN'],
    ['one that differs in case', allowed, 'https://Console.example', 'FORBIDDEN'],
    ['one with a path', allowed, 'https://console.example/', 'FORBIDDEN'],
  ])('%s', (_what, settings, origin, code) => {
    expect(refusal(settings, { ...HOST, ...(origin === undefined ? {} : { origin }) })).toBe(code);
    expect(refusal(settings, { ...HOST, ...(origin === undefined ? {} : { origin }) }, 'open')).toBe(code);
  });

  it('need a token as well', () => {
    const headers = { ...HOST, origin: 'https://console.example' };
    expect(refusal({ ...allowed, apiToken: TOKEN }, headers)).toBe('UNAUTHENTICATED');
    expect(refusal({ apiToken: TOKEN }, { ...headers, authorization: `Bearer ${TOKEN}` })).toBe('FORBIDDEN');
  });
});

describe('tokens', () => {
  const both = { apiToken: TOKEN, adminToken: ADMIN };
  const onlyUser = { apiToken: TOKEN };
  const onlyAdmin = { adminToken: ADMIN };
  const NO = 'UNAUTHENTICATED';
  /** What open, user and admin calls answer. */
  const RULES: readonly (readonly [string, Partial<GuardSettings>, string | undefined, readonly (string | null)[]])[] =
    [
      ['no token is set, none given', {}, undefined, [null, null, null]],
      ['no token is set, one given', {}, `Bearer ${TOKEN}`, [null, null, null]],
      ['a user token is set, none given', onlyUser, undefined, [null, NO, NO]],
      ['a user token is set and given: it serves for admin calls too', onlyUser, `Bearer ${TOKEN}`, [null, null, null]],
      ['an admin token is set, none given', onlyAdmin, undefined, [null, null, NO]],
      ['an admin token is set and given', onlyAdmin, `Bearer ${ADMIN}`, [null, null, null]],
      ['both are set, none given', both, undefined, [null, NO, NO]],
      ['both are set, the user token given', both, `Bearer ${TOKEN}`, [null, null, NO]],
      ['both are set, the admin token given', both, `Bearer ${ADMIN}`, [null, NO, null]],
    ];
  it.each(RULES)('%s', (_what, settings, authorization, codes) => {
    const headers = { ...HOST, ...(authorization === undefined ? {} : { authorization }) };
    const answers = (['open', 'user', 'admin'] as const).map((access) => refusal(settings, headers, access));
    expect(answers).toEqual(codes);
  });

  it.each([
    ['another scheme', `Basic ${TOKEN}`],
    ['no scheme', TOKEN],
    ['an empty one', 'Bearer '],
    ['the first half', `Bearer ${TOKEN.slice(0, 10)}`],
    ['more behind it', `Bearer ${TOKEN}x`],
    ['a space behind it', `Bearer ${TOKEN} `],
    ['another case', `Bearer ${TOKEN.toUpperCase()}`],
    ['two of them', `Bearer ${TOKEN}, Bearer ${TOKEN}`],
  ])('%s is not the token', (_what, authorization) => {
    expect(refusal({ apiToken: TOKEN }, { ...HOST, authorization })).toBe(NO);
  });

  it('the name of the scheme is read in any case', () => {
    expect(refusal({ apiToken: TOKEN }, { ...HOST, authorization: `bearer ${TOKEN}` })).toBeNull();
  });

  it('the answer does not tell the token', () => {
    const call = () => guardRequest({ ...OPEN, apiToken: TOKEN }, { ...HOST, authorization: 'Bearer x' }, 'user');
    expect(call).toThrow(expect.not.objectContaining({ message: expect.stringContaining(TOKEN) as string }));
  });
});
