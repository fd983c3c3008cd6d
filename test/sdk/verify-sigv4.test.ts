import { describe, expect, it } from 'vitest';
import { type Identity, type RawRequest, type Verifier, verifySigV4 } from '../helpers/verify-sigv4.ts';

/**
 * The signatures are AWS's: of the signing test suite that awslabs/aws-c-auth carries (header signing, normalised
 * paths), and the last one of its addition in the Rust SDK, as botocore computes it.
 */
const SECRET = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY';
const SUITE: Verifier = {
  identityOf: () => ({ secretAccessKey: SECRET }),
  region: 'us-east-1',
  service: 'service',
  now: Date.UTC(2015, 7, 30, 12, 36),
};
const LETTERS = '-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const TOKEN = '6e86291e8372ff2a2260956d9b8aae1d763fbf315fa00fa31553b73ebf194267';
const FORM_HASH = '9095672bbd1f56dfc5b65f3e153adc8731a4a654192329106275f4c7b24d0b6e';

interface Vector {
  readonly line: string;
  readonly headers?: RawRequest['headers'];
  readonly body?: string;
  readonly signature: string;
}

const VECTORS: Readonly<Record<string, Vector>> = {
  'get-relative-relative-normalized': {
    line: 'GET /example1/example2/../..',
    signature: '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31',
  },
  'get-slashes-normalized': {
    line: 'GET //example//',
    signature: '9a624bd73a37c9a373b5312afbebe7a714a789de108f0bdfe846570885f57e84',
  },
  'get-space-normalized': {
    line: 'GET /example space/',
    signature: '652487583200325589f1fba4c7e578f72c47cb61beeca81406b39ddec1366741',
  },
  'get-utf8': {
    line: 'GET /ሴ',
    signature: '8318018e0b0f223aa2bbf98705b62bb787dc9c0e678f255a891fd03141be5d85',
  },
  'get-unreserved': {
    line: `GET /${LETTERS}`,
    signature: '07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f',
  },
  'get-vanilla-query-unreserved': {
    line: `GET /?${LETTERS}=${LETTERS}`,
    signature: '9c3e54bfcdf0b19771a7f523ee5669cdf59bc7cc0884027167c21bb143a40197',
  },
  'get-vanilla-query-order-key-case': {
    line: 'GET /?Param2=value2&Param1=value1',
    signature: 'b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500',
  },
  'get-vanilla-query-order-encoded': {
    line: 'GET /?Param-3=Value3&Param=Value2&%E1%88%B4=Value1',
    signature: '371d3713e185cc334048618a97f809c9ffe339c62934c032af5a0e595648fcac',
  },
  'get-vanilla-utf8-query': {
    line: 'GET /?ሴ=bar',
    signature: '2cdec8eed098649ff3a119c94853b13c643bcf08f8b0a1d91e12c9027818dd04',
  },
  'get-header-key-duplicate': {
    line: 'GET /',
    headers: [
      ['My-Header1', 'value2'],
      ['My-Header1', 'value2'],
      ['My-Header1', 'value1'],
    ],
    signature: 'c9d5ea9f3f72853aea855b47ea873832890dbdd183b4468f858259531a5138ea',
  },
  'get-header-value-trim': {
    line: 'GET /',
    headers: [
      ['My-Header1', ' value1'],
      ['My-Header2', ' "a   b   c"'],
    ],
    signature: 'acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736',
  },
  'get-vanilla-with-session-token': {
    line: 'GET /',
    headers: [['X-Amz-Security-Token', TOKEN]],
    signature: '07ec1639c89043aa0e3e2de82b96708f198cceab042d4a97044c66dd9f74e7f8',
  },
  'post-vanilla-query': {
    line: 'POST /?Param1=value1',
    signature: '28038455d6de14eafc1f9222cf5aa6f1a96197d7deb8263271d420d138af7f11',
  },
  'post-x-www-form-urlencoded': {
    line: 'POST /',
    headers: [
      ['Content-Type', 'application/x-www-form-urlencoded'],
      ['Content-Length', '13'],
      ['x-amz-content-sha256', FORM_HASH],
    ],
    body: 'Param1=value1',
    signature: 'd3875051da38690788ef43de4db0d8f280229d82040bfac253562e56c3f20e0b',
  },
  'post-x-www-form-urlencoded-parameters': {
    line: 'POST /',
    headers: [
      ['Content-Type', 'application/x-www-form-urlencoded; charset=utf-8'],
      ['Content-Length', '13'],
      ['x-amz-content-sha256', FORM_HASH],
    ],
    body: 'Param1=value1',
    signature: '328d1b9eaadca9f5818ef05e8392801e091653bafec24fcab71e7344e7f51422',
  },
};

function signed({ line, headers = [], body = '', signature }: Vector, key = 'AKIDEXAMPLE', host?: string): RawRequest {
  const space = line.indexOf(' ');
  const [method, target] = [line.slice(0, space), line.slice(space + 1)];
  const all = [['Host', host ?? 'example.amazonaws.com'], ['X-Amz-Date', '20150830T123600Z'], ...headers] as const;
  const names = [...new Set(all.map(([name]) => name.toLowerCase()))].sort().join(';');
  const scope = `${key}/20150830/us-east-1/service/aws4_request`;
  const authorization = `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=${names}, Signature=${signature}`;
  return { method, target, headers: [...all, ['Authorization', authorization]], body };
}

describe('the verifier of the tests', () => {
  it.each(Object.entries(VECTORS))("agrees with AWS's %s", (name, vector) => {
    const sessionToken = name.endsWith('session-token') ? TOKEN : undefined;
    const identityOf = (): Identity => ({ secretAccessKey: SECRET, sessionToken });
    expect(verifySigV4(signed(vector), { ...SUITE, identityOf })).toBeNull();
  });

  it('agrees on a path that came encoded: it is encoded once more', () => {
    const vector = {
      line: 'POST /test/@connections/JBDvjfGEIAMCERw%3D',
      headers: [['x-amz-content-sha256', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855']] as const,
      signature: 'ed434df8a348089a1188defcfcc1aa24049990a7e82021d0418cfa0eb05e4d99',
    };
    const request = signed(vector, 'ANOTREAL', 'tj9n5r0m12.execute-api.us-east-1.amazonaws.com');
    const identityOf = (): Identity => ({ secretAccessKey: 'notrealrnrELgWzOk3IfjzDKtFBhDby' });
    expect(verifySigV4(request, { ...SUITE, identityOf })).toBeNull();
    const once = { ...request, target: request.target.replace('%3D', '=') };
    expect(verifySigV4(once, { ...SUITE, identityOf })).toContain('does not match');
  });

  const request = signed(VECTORS['post-x-www-form-urlencoded'] as Vector);
  it.each<[string, Partial<RawRequest>, Partial<Verifier>, string]>([
    ['another path', { target: '/other' }, {}, 'does not match'],
    ['another query', { target: '/?a=b' }, {}, 'does not match'],
    ['another method', { method: 'GET' }, {}, 'does not match'],
    ['another body', { body: 'Param1=value2' }, {}, 'is not the hash'],
    ['a header that is not signed', { headers: [...request.headers, ['x-amz-more', '1']] }, {}, 'must be signed'],
    ['no signature', { headers: request.headers.slice(0, -1) }, {}, 'Missing Authentication Token'],
    ['another secret', {}, { identityOf: () => ({ secretAccessKey: 'other' }) }, 'does not match'],
    ['an unknown key', {}, { identityOf: () => undefined }, 'security token'],
    ['another region', {}, { region: 'eu-west-1' }, 'scoped to a valid region'],
    ['a late arrival', {}, { now: SUITE.now + 300_001 }, 'Signature expired'],
    ['an early arrival', {}, { now: SUITE.now - 300_001 }, 'not yet current'],
  ])('refuses %s', (_what, change, verifier, message) => {
    expect(verifySigV4(request, SUITE)).toBeNull();
    expect(verifySigV4({ ...request, ...change }, { ...SUITE, ...verifier })).toContain(message);
  });
});
