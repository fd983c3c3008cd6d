import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ApiClient } from '../helpers/api-client.ts';
import { errorOf, type Held, hold, register, SHOP, start } from '../helpers/api-driver.ts';
import type { ApiResponse } from '../helpers/api-response.ts';
import { dumpStore } from '../helpers/dump-store.ts';
import { type TestEngine, testEngine } from '../helpers/test-engine.ts';

const MIB = 1024 * 1024;
const nested = (levels: number): string => `${'[{"a":'.repeat(levels / 2)}0${'}]'.repeat(levels / 2)}`;

/** As JSON text, since some of it cannot be written as a literal. */
const PAYLOADS: readonly (readonly [string, string])[] = [
  ['null', 'null'],
  ['true', 'true'],
  ['false', 'false'],
  ['zero', '0'],
  ['minus zero, which JSON.stringify writes as 0', '-0'],
  ['a fraction', '-1.5e-7'],
  ['the largest safe integer', '9007199254740991'],
  ['an integer that is no double', '12345678901234567890'],
  ['a number near the limit', '1.7976931348623157e308'],
  ['the empty text', '""'],
  ['a text that looks like JSON', '"{\\"a\\":1}"'],
  ['the empty list', '[]'],
  ['the empty object', '{}'],
  ['holes of null', '[null,{"a":null},[]]'],
  ['a key __proto__', '{"__proto__":{"polluted":true},"a":{"__proto__":1}}'],
  ['keys of every object', '{"constructor":{"prototype":{"x":1}},"toString":1,"hasOwnProperty":null,"":2}'],
  ['keys that look like numbers, in their order', '{"b":1,"10":2,"9":3,"a":4}'],
  ['keys of ours', '{"lease":"x","error":{"code":"y"},"pk":"z","at":"blob","k":"key","i":"name"}'],
  ['lone surrogates', '"\\ud800 and \\udc00\\ud83d"'],
  ['a key that is a lone surrogate', '{"\\udfff":1}'],
  ['NUL and other controls', '"a\\u0000b\\u0007\\u001f\\u007f\\u2028\\ufeff"'],
  ['emoji and combining marks', '"👩‍👩‍👧‍👦 e\u0301 ﷽ 𝒳"'],
  ['198 levels', nested(198)],
  ['10,000 short texts', JSON.stringify(Array.from({ length: 10_000 }, (_, index) => `item ${index}`))],
];
const runOf = z.object({ input: z.unknown(), output: z.unknown() });

let test: TestEngine;
let api: ApiClient;
beforeEach(async () => {
  test = await testEngine();
  api = new ApiClient(test);
});
afterEach(() => test.close());

/** Compared as text: equality of objects would not see a key `__proto__`, nor the order of keys. */
const text = (value: unknown): string => JSON.stringify(value);
const field = (answer: ApiResponse, ...path: readonly string[]): unknown =>
  path.reduce<unknown>((value, name) => (value as Readonly<Record<string, unknown>>)[name], answer.body);

async function holdWith(json: string): Promise<Pick<Held, 'path' | 'steps' | 'step' | 'lease'>> {
  const workerId = await register(api);
  const started = await api.post(`${SHOP}/runs`, undefined, { text: `{"workflow_type":"order","input":${json}}` });
  const polled = await api.post(`${SHOP}/task-queues/default/poll`, { worker_id: workerId, timeout_secs: 0 });
  expect(text(field(polled, 'task', 'input'))).toBe(text(JSON.parse(json)));
  const path = `${SHOP}/runs/${String(field(started, 'run_id'))}`;
  const step = (id: string): string => `${path}/step?step_id=${id}`;
  return { lease: String(field(polled, 'task', 'lease')), path, steps: `${path}/steps`, step };
}

it.each(PAYLOADS)('%s comes back as it was given', async (_what, json) => {
  const expected = text(JSON.parse(json));
  const { path, steps, step, lease } = await holdWith(json);
  const send = (url: string, body: string) =>
    api.post(url, undefined, { text: body.replace('LEASE', JSON.stringify(lease)) });

  await send(`${steps}/begin`, `{"lease":LEASE,"step_id":"a","input":${json}}`);
  await send(`${steps}/complete`, `{"lease":LEASE,"step_id":"a","output":${json}}`);
  const cached = await send(`${steps}/begin`, `{"lease":LEASE,"step_id":"a","input":${json}}`);
  expect(text(field(cached, 'cached_output'))).toBe(expected);
  expect(field(cached, 'input_changed')).toBe(false);
  const recorded = await api.get(step('a'));
  expect([text(field(recorded, 'input')), text(field(recorded, 'output'))]).toEqual([expected, expected]);

  await send(`${steps}/begin`, '{"lease":LEASE,"step_id":"b"}');
  await send(
    `${steps}/fail`,
    `{"lease":LEASE,"step_id":"b","error":{"message":"no","non_retryable":true,"details":${json}}}`,
  );
  // Details are kept up to 16,384 characters; larger ones are left out rather than cut.
  const details = expected.length > 16_384 ? undefined : expected;
  expect(text(field(await api.get(step('b')), 'error', 'details'))).toBe(details);

  await send(`${path}/complete`, `{"lease":LEASE,"output":${json}}`);
  const run = runOf.parse((await api.get(path)).body);
  expect([text(run.input), text(run.output)]).toEqual([expected, expected]);
  const exported = await api.get(`${path}/export`);
  expect(text(field(exported, 'run', 'output'))).toBe(expected);
});

it.each(PAYLOADS)('%s comes back as the details of a failed run', async (_what, json) => {
  const { path, lease } = await hold(api);
  const error = `{"message":"no","non_retryable":true,"details":${json}}`;
  await api.post(`${path}/fail`, undefined, { text: `{"lease":${JSON.stringify(lease)},"error":${error}}` });
  const expected = text(JSON.parse(json));
  const details = expected.length > 16_384 ? undefined : expected;
  expect(text(field(await api.get(path), 'error', 'details'))).toBe(details);
});

describe('null and nothing', () => {
  it('are different as input and output', async () => {
    const nothing = await hold(api);
    await api.post(`${nothing.path}/complete`, { lease: nothing.lease });
    const empty = (await api.get(nothing.path)).body;
    expect(empty).not.toHaveProperty('input');
    expect(empty).not.toHaveProperty('output');

    const nulls = await hold(api, { input: null });
    await api.post(`${nulls.path}/complete`, { lease: nulls.lease, output: null });
    expect((await api.get(nulls.path)).body).toMatchObject({ input: null, output: null });
  });

  it('are different as input and output of a step', async () => {
    const { steps, lease } = await hold(api);
    await api.post(`${steps}/begin`, { step_id: 'a', lease });
    await api.post(`${steps}/complete`, { step_id: 'a', lease });
    expect((await api.post(`${steps}/begin`, { step_id: 'a', lease })).body).not.toHaveProperty('cached_output');
    await api.post(`${steps}/begin`, { step_id: 'b', lease, input: null });
    await api.post(`${steps}/complete`, { step_id: 'b', lease, output: null });
    expect((await api.post(`${steps}/begin`, { step_id: 'b', lease, input: null })).body).toMatchObject({
      cached_output: null,
    });
  });
});

describe('of size', () => {
  const ofBytes = (bytes: number): string => 'é'.repeat((bytes - 2) / 2);

  it('2 MiB are accepted everywhere', async () => {
    const payload = ofBytes(2 * MIB);
    const { path, steps, step, lease } = await hold(api, { input: payload });
    expect((await api.post(`${steps}/begin`, { step_id: 'a', lease, input: payload })).status).toBe(200);
    expect((await api.post(`${steps}/complete`, { step_id: 'a', lease, output: payload })).status).toBe(200);
    expect((await api.post(`${path}/complete`, { lease, output: payload })).status).toBe(200);
    const run = runOf.parse((await api.get(path)).body);
    expect(run.input === payload && run.output === payload).toBe(true);
    expect(field(await api.get(step('a')), 'output') === payload).toBe(true);
  });

  it('one byte more is refused everywhere, and nothing is written', async () => {
    const payload = `x${ofBytes(2 * MIB)}`;
    const { path, steps, lease } = await hold(api);
    await api.post(`${steps}/begin`, { step_id: 'begun', lease });
    await start(api);
    const before = await dumpStore(test);
    for (const [url, body] of [
      [`${SHOP}/runs`, { workflow_type: 'order', input: payload }],
      [`${steps}/begin`, { step_id: 'a', lease, input: payload }],
      [`${steps}/complete`, { step_id: 'begun', lease, output: payload }],
      [`${path}/complete`, { lease, output: payload }],
    ] as const) {
      const answer = await api.post(url, body);
      const details = { bytes: 2 * MIB + 1, max_bytes: 2 * MIB };
      expect(answer.status).toBe(413);
      expect(errorOf(answer)).toMatchObject({ code: 'PAYLOAD_TOO_LARGE', details });
      expect(await dumpStore(test)).toEqual(before);
    }
  });
});
