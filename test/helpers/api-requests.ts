import fc from 'fast-check';
import { openApiDocument } from '../../functions/api/openapi-document.ts';
import { ROUTES } from '../../functions/api/routes.ts';
import { fitting, type JsonSchema } from './json-schema.ts';

/** A request as the document describes it, or nearly so. */
export interface FuzzedRequest {
  readonly method: string;
  readonly path: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: unknown;
  readonly contentType: string;
}

interface Operation {
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: 'path' | 'query';
    readonly required: boolean;
    readonly schema: JsonSchema;
  }[];
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly schema: JsonSchema } } };
}
const { paths } = openApiDocument(ROUTES, '0') as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
};

/** What begins with @ stands for something that exists when the request is sent. */
const KNOWN: Readonly<Record<string, readonly unknown[]>> = {
  namespace: ['shop', 'shop', 'shop', 'shop', 'shop', 'other'],
  run_id: ['@held', '@held', '@held', '@pending', '@ended'],
  worker_id: ['@worker'],
  lease: ['@lease'],
  id: ['@letter'],
  step_id: ['begun', 'begun', 'new', 'a/b #%'],
  task_queue: ['default'],
  workflow_type: ['order'],
  workflow_types: [['order']],
  workflow_versions: [{ order: ['1'] }],
  external_id: ['one', 'two'],
  drain: [false],
  timeout_secs: [0, 1],
  wait: ['0', '2s'],
};

const NASTY: readonly unknown[] = [
  null,
  '',
  0,
  -1,
  1e300,
  true,
  [],
  {},
  [null],
  'a\0b',
  '\ud800',
  '__proto__',
  'constructor',
  '../..',
  'a#b',
  '%2F%00',
  "'; DROP TABLE items; --",
  'x'.repeat(5_000),
  '2026-02-30T00:00:00Z',
  { __proto__: null, constructor: { prototype: 1 } },
  JSON.parse('{"__proto__":{"admin":true}}') as unknown,
];

const without = (fields: Readonly<Record<string, unknown>>, name: string) =>
  Object.fromEntries(Object.entries(fields).filter(([key]) => key !== name));

/** One thing off: a field gone, added or replaced, in the place that the choice says. */
function mutate(request: FuzzedRequest, pick: number, nasty: unknown): FuzzedRequest {
  const places = (['params', 'query', 'body'] as const).filter((place) => {
    const fields = request[place];
    return typeof fields === 'object' && fields !== null;
  });
  const place = places[pick % places.length] ?? 'query';
  const fields = request[place] as Readonly<Record<string, unknown>>;
  const names = Object.keys(fields);
  const name = names[pick % Math.max(1, names.length)];
  if (place === 'params') return name === undefined ? request : { ...request, params: { ...fields, [name]: nasty } };
  if (name === undefined || pick % 3 === 0) return { ...request, [place]: { ...fields, extra: nasty } };
  return { ...request, [place]: pick % 3 === 1 ? without(fields, name) : { ...fields, [name]: nasty } };
}

const fieldsOf = (operation: Operation, place: 'path' | 'query') => {
  const given = (operation.parameters ?? []).filter((parameter) => parameter.in === place);
  return fitting(
    {
      type: 'object',
      properties: Object.fromEntries(given.map(({ name, schema }) => [name, schema])),
      required: given.filter(({ required }) => required).map(({ name }) => name),
    },
    KNOWN,
  ) as fc.Arbitrary<Readonly<Record<string, unknown>>>;
};

function requestOf(method: string, path: string, operation: Operation): fc.Arbitrary<FuzzedRequest> {
  const schema = operation.requestBody?.content['application/json'].schema;
  const valid = fc.record({
    method: fc.constant(method.toUpperCase()),
    path: fc.constant(path),
    params: fieldsOf(operation, 'path'),
    query: fieldsOf(operation, 'query'),
    body: schema === undefined ? fc.constant(undefined) : fitting(schema, KNOWN),
    contentType: fc.constant('application/json'),
  });
  const nasty = fc.constantFrom(...NASTY);
  const off = fc.tuple(valid, fc.nat(1_000), nasty).map(([request, pick, value]) => mutate(request, pick, value));
  const garbage = fc
    .tuple(
      valid,
      fc.oneof(nasty, fc.jsonValue(), fc.string({ unit: 'binary' })),
      fc.constantFrom('application/json', 'text/plain', ''),
    )
    .map(([request, body, contentType]) => ({ ...request, body, contentType }));
  return fc.oneof({ weight: 5, arbitrary: valid }, { weight: 4, arbitrary: off }, { weight: 1, arbitrary: garbage });
}

/** Requests to all routes of the document alike. */
export const apiRequests: fc.Arbitrary<FuzzedRequest> = fc.oneof(
  ...Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => requestOf(method, path, operation)),
  ),
);
