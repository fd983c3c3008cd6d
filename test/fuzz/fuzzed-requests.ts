import fc from 'fast-check';
import { openApiDocument } from '../../functions/api/openapi-document.ts';
import { ROUTES } from '../../functions/api/routes.ts';
import { fitting, type JsonSchema, type KnownFields } from '../helpers/json-schema.ts';
import { NASTY_KEYS, NASTY_VALUES } from './nasty-values.ts';
import { ODDITIES } from './oddities.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A request as the document describes it, or nearly so. What begins with @ stands for something there is when it is sent. */
export interface FuzzedRequest {
  readonly method: string;
  readonly path: string;
  readonly params: Fields;
  readonly query: Fields;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;
  /** Which of the things there are is meant. */
  readonly pick: number;
  /** Done to it once it is text: a place in ODDITIES. */
  readonly oddity: number | null;
}

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly required: boolean;
  readonly schema: JsonSchema;
}
interface Operation {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly schema: JsonSchema } } };
}
const { paths } = openApiDocument(ROUTES, '0') as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
};

export const OTHER_NAMESPACE = 'other';
export const NAMESPACES = ['shop', OTHER_NAMESPACE] as const;

const KNOWN: KnownFields = {
  namespace: fc.constantFrom('shop', 'shop', 'shop', 'shop', OTHER_NAMESPACE),
  run_id: fc.constantFrom('@held', '@held', '@held', '@held', '@run', '@ended'),
  worker_id: fc.constant('@worker'),
  lease: fc.constant('@lease'),
  id: fc.constant('@letter'),
  step_id: fc.constantFrom('begun', 'begun', 'done', 'new', 'a/b #%', '@new'),
  task_queue: fc.constant('default'),
  workflow_type: fc.constant('order'),
  workflow_types: fc.constant(['order']),
  external_id: fc.constantFrom('one', 'two', 'three/#%'),
  schedule_id: fc.constant('@schedule'),
  cron_expr: fc.constantFrom('@hourly', '*/5 * * * *', ['0 0 9 * * MON-FRI', '@daily'], '0 0 30 2 *'),
  intervals: fc.constantFrom([], [{ every_ms: 60_000 }], [{ every_ms: 3_600_000, offset_ms: 5_000 }]),
  timezone: fc.constantFrom('UTC', 'Europe/Berlin', 'Mars/Olympus'),
  from: fc.constantFrom('2027-01-15T06:30:00Z', '2027-01-15T07:30:00Z'),
  to: fc.constantFrom('2027-01-15T06:00:00Z', '2027-01-15T08:00:00Z'),
  page_token: fc.constantFrom('@token', '@token', '@forged'),
  drain: fc.constant(false),
  timeout_secs: fc.constantFrom(0, 1),
  wait: fc.constantFrom('0', '2s'),
};

/** Every place inside a value that can be changed, the value itself included. */
function placesIn(value: unknown, place: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [place];
  return [place, ...Object.entries(value).flatMap(([key, inner]) => placesIn(inner, [...place, key]))];
}

function changeAt(value: unknown, [key, ...rest]: readonly string[], change: (value: unknown) => unknown): unknown {
  if (key === undefined) return change(value);
  if (Array.isArray(value)) return value.map((item, n) => (String(n) === key ? changeAt(item, rest, change) : item));
  const fields = Object.entries(value as Fields).flatMap(([name, inner]) => {
    const changed = name === key ? changeAt(inner, rest, change) : inner;
    return changed === GONE ? [] : [[name, changed] as const];
  });
  return Object.fromEntries(fields);
}

const GONE = Symbol('gone');
const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** One thing off, anywhere in the request: a value replaced, a field gone, or one more. */
function mutate(request: FuzzedRequest, where: number, how: number, key: string, nasty: unknown): FuzzedRequest {
  const { params, query, body } = request;
  const whole = { params, query, ...(body === undefined ? {} : { body }) };
  const places = placesIn(whole).filter((place) => place.length > 1 || place[0] === 'body' || place[0] === 'query');
  const place = places[where % places.length] ?? ['query'];
  const changed = changeAt(whole, place, (value) => {
    if (isObject(value) && (how % 3 === 0 || place[0] === 'query')) return { ...value, [key]: nasty };
    return how % 3 === 1 && place.length > 1 && place[0] !== 'params' ? GONE : nasty;
  }) as Pick<FuzzedRequest, 'params' | 'query' | 'body'>;
  return { ...request, ...changed };
}

const fieldsOf = (operation: Operation, place: Parameter['in']) => {
  const given = (operation.parameters ?? []).filter((parameter) => parameter.in === place);
  const properties = Object.fromEntries(given.map(({ name, schema }) => [name, schema]));
  const required = given.filter((parameter) => parameter.required).map(({ name }) => name);
  return fitting({ type: 'object', properties, required }, KNOWN) as fc.Arbitrary<Fields>;
};

function requestOf(method: string, path: string, operation: Operation): fc.Arbitrary<FuzzedRequest> {
  const schema = operation.requestBody?.content['application/json'].schema;
  const valid: fc.Arbitrary<FuzzedRequest> = fc.record({
    method: fc.constant(method.toUpperCase()),
    path: fc.constant(path),
    params: fieldsOf(operation, 'path'),
    query: fieldsOf(operation, 'query'),
    body: schema === undefined ? fc.constant(undefined) : fitting(schema, KNOWN),
    headers: fc.constant({}),
    pick: fc.nat(1_000_000),
    oddity: fc.constant(null),
  });
  const nasty = fc.constantFrom(...NASTY_VALUES);
  const off = fc
    .tuple(valid, fc.nat(10_000), fc.nat(2), fc.constantFrom(...NASTY_KEYS), nasty)
    .map(([request, where, how, key, value]) => mutate(request, where, how, key, value));
  const odd = fc
    .tuple(fc.oneof({ weight: 3, arbitrary: valid }, { weight: 1, arbitrary: off }), fc.nat(ODDITIES.length - 1))
    .map(([request, oddity]) => ({ ...request, oddity }));
  const garbage = fc
    .tuple(valid, fc.oneof(nasty, fc.jsonValue(), fc.string({ unit: 'binary' })))
    .map(([request, body]) => ({ ...request, body }));
  return fc.oneof(
    { weight: 8, arbitrary: valid },
    { weight: 5, arbitrary: off },
    { weight: 3, arbitrary: odd },
    { weight: 1, arbitrary: garbage },
  );
}

/** Requests to all routes of the document alike. */
const requests: fc.Arbitrary<FuzzedRequest> = fc.oneof(
  ...Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => requestOf(method, path, operation)),
  ),
);

const PORTION = 500;

/** The requests of a seed from one of them on: the n-th is the same wherever one begins. */
export function* fuzzedRequests(seed: number, from: number): Generator<FuzzedRequest> {
  for (let portion = Math.floor(from / PORTION); ; portion++) {
    const skipped = Math.max(0, from - portion * PORTION);
    const portionSeed = Math.imul(seed + 1, 0x9e3779b1) ^ portion;
    yield* fc.sample(requests, { seed: portionSeed, numRuns: PORTION }).slice(skipped);
  }
}
