import type { WireRequest } from './wire-request.ts';

/** Something wrong with a request that only its text can have. */
export interface Oddity {
  readonly name: string;
  readonly make: (wire: WireRequest) => WireRequest;
}

const text = (name: string, change: (text: string) => string): Oddity => ({
  name,
  make: (wire) => ({ ...wire, text: change(wire.text === '' ? '{}' : wire.text) }),
});
/** One more field at the end of the body, as it is written. */
const field = (name: string, written: string): Oddity =>
  text(name, (body) => body.replace(/\}$/, `${/^\{\s*\}$/.test(body) ? '' : ','}${written}}`));
const header = (name: string, value: string): Oddity => ({
  name: `${name}: ${value}`,
  make: (wire) => ({ ...wire, headers: { ...wire.headers, [name]: value } }),
});
const url = (name: string, change: (url: string) => string): Oddity => ({
  name,
  make: (wire) => ({ ...wire, url: change(wire.url) }),
});
const method = (name: string): Oddity => ({ name: `method ${name}`, make: (wire) => ({ ...wire, method: name }) });

const deep = (levels: number): string => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
/** The last segment of the path becomes another. */
const segment = (written: string): Oddity =>
  url(`segment ${written}`, (given) => given.replace(/[^/?]*(?=\?|$)/, written));
const query = (written: string): Oddity =>
  url(`query ${written.slice(0, 40)}`, (given) => `${given}${given.includes('?') ? '&' : '?'}${written}`);

export const ODDITIES: readonly Oddity[] = [
  text('a byte order mark', (body) => `\ufeff${body}`),
  text('cut off', (body) => body.slice(0, -1)),
  text('cut in half', (body) => body.slice(0, body.length / 2)),
  text('a trailing comma', (body) => body.replace(/\}$/, ',}')),
  text('two values', (body) => `${body} ${body}`),
  text('a comment', (body) => `/* */${body}`),
  text('a NUL behind it', (body) => `${body}\0`),
  text('a list around it', (body) => `[${body}]`),
  text('its fields twice', (body) => body.replace(/^\{(.+)\}$/s, '{$1,$1}')),
  text('white space around it', (body) => ` \t\r\n${body}\n`),
  text('single quotes', (body) => body.replaceAll('"', "'")),
  text('raw control characters', (body) => body.replace(/"([a-z_]+)"/, '"$1\n"')),
  text('a raw lone surrogate', (body) => body.replace(/"([a-z_]+)"/, '"$1\ud800"')),
  text('opens 100,000 lists', () => '['.repeat(100_000)),
  text('only a quote', () => '"'),
  field('__proto__', '"__proto__":{"namespace":"other","admin":true}'),
  field('constructor', '"constructor":{"prototype":{"admin":true}}'),
  field('a huge number', '"extra":1e400'),
  field('a long number', `"extra":${'9'.repeat(400)}`),
  field('minus zero', '"extra":-0'),
  field('a key with NUL', '"a\\u0000b":1'),
  field('an escaped lone surrogate', '"extra":"\\ud800"'),
  field('a lone surrogate in the input', '"input":"\\ud800","output":"\\udfff"'),
  field('NUL in the input', '"input":{"a\\u0000":"\\u0000"},"output":"\\u0000"'),
  field('deep input', `"input":${deep(198)},"output":${deep(198)}`),
  field('too deep input', `"input":${deep(30_000)}`),
  field('odd keys in the input', '"input":{"__proto__":{"a":1},"constructor":1,"":2},"output":{"__proto__":1}'),
  field('long input', `"input":"${'x'.repeat(300_000)}","output":"${'é'.repeat(100_000)}"`),
  field('too long input', `"input":"${'x'.repeat(2_200_000)}","output":"${'y'.repeat(2_200_000)}"`),
  text('too long a body', () => `{"input":"${'x'.repeat(5_300_000)}"}`),
  header('content-type', 'text/plain'),
  header('content-type', ''),
  header('content-type', 'application/x-www-form-urlencoded'),
  header('content-type', 'multipart/form-data; boundary=x'),
  header('content-type', 'application/jsonp'),
  header('content-type', 'APPLICATION/JSON;charset=utf-16'),
  header('content-type', 'application/merge-patch+json'),
  header('x-correlation-id', 'x'.repeat(500)),
  header('x-correlation-id', '<script>alert(1)</script>'),
  header('traceparent', '00-00000000000000000000000000000000-0000000000000000-00'),
  header('traceparent', 'garbage'),
  header('accept', 'text/html'),
  header('origin', 'http://evil.example'),
  header('authorization', 'Bearer nobody'),
  { name: 'in base64', make: (wire) => ({ ...wire, base64: true }) },
  segment('%'),
  segment('%zz'),
  segment('%00'),
  segment('%2F'),
  segment('%2e%2e'),
  segment('..'),
  segment('%c0%af'),
  segment('%ED%A0%80'),
  segment('%EF%BB%BF'),
  segment('%23'),
  segment('%25%32%46'),
  segment('x'.repeat(3_000)),
  url('a slash behind it', (given) => given.replace(/(?=\?|$)/, '/')),
  url('two slashes', (given) => given.replace('/', '//')),
  url('a dot segment', (given) => given.replace('/', '/./')),
  url('up and down', (given) => given.replace(/^\/(\w+)/, '/$1/../$1')),
  url('in capitals', (given) => given.toUpperCase()),
  url('another namespace beside it', (given) => given.replace('/v1/shop', '/v1/shop%2F..%2Fother')),
  query('__proto__=1'),
  query('constructor[prototype]=1'),
  query('page_size=1&page_size=2'),
  query('page_size=%00'),
  query('page_token=%F0%28%8C%BC'),
  query('=&&=&a=b=c'),
  query('%'),
  query('+'),
  query(`x=${'y'.repeat(5_000)}`),
  method('PUT'),
  method('PATCH'),
  method('HEAD'),
  method('OPTIONS'),
  method('DELETE'),
  method('POST'),
  method('GET'),
];
