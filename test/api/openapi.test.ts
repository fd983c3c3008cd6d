import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { openApiDocument } from '../../functions/api/openapi-document.ts';
import { ROUTES, routeKey } from '../../functions/api/routes.ts';
import { STATUS_OF } from '../../shared/model/errors.ts';
import { ApiClient } from '../helpers/api-client.ts';
import { testEngine } from '../helpers/test-engine.ts';

const schema = z.record(z.string(), z.unknown());
const content = z.record(z.string(), z.strictObject({ schema }));
const operation = z.strictObject({
  operationId: z.string(),
  summary: z.string().min(1),
  security: z.array(z.unknown()).max(0).optional(),
  parameters: z
    .array(
      z.strictObject({
        name: z.string(),
        in: z.enum(['path', 'query']),
        required: z.boolean(),
        description: z.string().optional(),
        schema,
      }),
    )
    .optional(),
  requestBody: z.strictObject({ required: z.boolean(), content }).optional(),
  responses: z.record(
    z.string().regex(/^\d{3}$/),
    z.strictObject({ description: z.string(), content: content.optional() }),
  ),
});
const document = z.strictObject({
  openapi: z.literal('3.1.0'),
  info: z.looseObject({ title: z.string(), version: z.string() }),
  servers: z.array(z.unknown()),
  security: z.array(z.unknown()),
  paths: z.record(z.string().startsWith('/'), z.partialRecord(z.enum(['get', 'post', 'patch', 'delete']), operation)),
  components: z.strictObject({
    schemas: z.record(z.string(), schema),
    securitySchemes: z.record(z.string(), z.unknown()),
  }),
});
type Operation = z.output<typeof operation>;

const build = () => openApiDocument(ROUTES, '1.2.3');
const built = document.parse(JSON.parse(JSON.stringify(build())));
const operationOf = (call: { readonly method: string; readonly path: string }): Operation => {
  const found = built.paths[call.path]?.[call.method.toLowerCase() as 'get'];
  if (found === undefined) throw new Error(`${routeKey(call as (typeof ROUTES)[number])} is not described`);
  return found;
};

function references(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => (name === '$ref' ? [String(inner)] : references(inner)));
}

const resolve = (reference: string): unknown =>
  reference
    .replace(/^#\//, '')
    .split('/')
    .reduce<unknown>((value, name) => (value as Readonly<Record<string, unknown>> | undefined)?.[name], built);

describe('the OpenAPI document', () => {
  it('describes every route and no other', () => {
    const described = Object.entries(built.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(described.sort()).toEqual(ROUTES.map(routeKey).sort());
  });

  it('names each operation once', () => {
    const ids = ROUTES.map((call) => operationOf(call).operationId);
    expect(new Set(ids).size).toBe(ROUTES.length);
    for (const id of ids) expect(id).toMatch(/^[a-z][A-Za-z]+$/);
  });

  it('has every reference it uses', () => {
    const used = references(built);
    expect(used.length).toBeGreaterThan(0);
    for (const reference of used) expect(resolve(reference), reference).toBeDefined();
  });

  it.each(ROUTES.map((call) => [routeKey(call), call] as const))(
    '%s has its parameters, body and answers',
    (_key, call) => {
      const { parameters = [], requestBody, responses, security } = operationOf(call);
      const inPath = parameters.filter((parameter) => parameter.in === 'path');
      expect(inPath.map((parameter) => parameter.name)).toEqual(
        [...call.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name),
      );
      expect(inPath.every((parameter) => parameter.required)).toBe(true);
      expect(requestBody !== undefined).toBe(call.body !== undefined);
      expect(requestBody?.required ?? false).toBe(call.body?.safeParse(undefined).success === false);
      const given = requestBody?.content['application/json']?.schema ?? { type: 'object', additionalProperties: false };
      expect(given).toMatchObject({ type: 'object', additionalProperties: false });
      for (const [status, answer] of Object.entries(call.answers)) {
        expect(responses[status]?.content !== undefined, status).toBe(answer !== null);
      }
      for (const code of call.errors) expect(responses[String(STATUS_OF[code])]?.description, code).toContain(code);
      expect(security).toEqual(call.access === 'open' ? [] : undefined);
      for (const status of ['400', '403', '413', '500', '503']) expect(responses).toHaveProperty(status);
    },
  );

  it('requires of the start of a run its workflow type only', () => {
    const start = built.paths['/v1/{namespace}/runs']?.post?.requestBody?.content['application/json']?.schema;
    expect(start).toMatchObject({ required: ['workflow_type'], properties: { workflow_type: { type: 'string' } } });
  });

  it('is the same to the byte each time it is built', () => {
    expect(JSON.stringify(build())).toBe(JSON.stringify(build()));
  });

  it('is what the API answers', async () => {
    const test = await testEngine();
    try {
      const { body } = await new ApiClient(test).get('/openapi.json');
      expect(JSON.stringify(body)).toBe(JSON.stringify(build()));
    } finally {
      await test.close();
    }
  });
});

/** API Gateway decodes paths before it hands them on, and does not route a slash inside a part. */
it('parts of paths have no characters that need to be escaped', () => {
  const parts = Object.values(built.paths).flatMap((methods) =>
    Object.values(methods).flatMap(({ parameters = [] }) => parameters.filter((given) => given.in === 'path')),
  );
  expect(parts.length).toBeGreaterThan(20);
  for (const part of parts) {
    const values = fc.sample(fc.stringMatching(new RegExp(String(part.schema['pattern']))), { seed: 1, numRuns: 50 });
    for (const value of values) expect(encodeURIComponent(value), part.name).toBe(value);
  }
});
