import * as z from 'zod';
import { type ErrorCode, STATUS_OF } from '../../shared/model/errors.ts';
import type { Call } from './call.ts';
import { errorBody } from './error-response.ts';
import { exponential } from './retry-policy-field.ts';

/** Of every call: bad input, what is refused before it is known what is asked for, and the world. */
const ALWAYS: readonly ErrorCode[] = ['INVALID_ARGUMENT', 'FORBIDDEN', 'PAYLOAD_TOO_LARGE', 'UNAVAILABLE', 'INTERNAL'];
const WITH_BODY: readonly ErrorCode[] = ['UNSUPPORTED_MEDIA_TYPE'];
const WITH_CALLER: readonly ErrorCode[] = ['UNAUTHENTICATED'];

type JsonSchema = Readonly<Record<string, unknown>>;

function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema: json }) => {
      if (zodSchema === exponential && io === 'input') delete json.required;
    },
  }) as JsonSchema;
  return rest;
}

function parameters(schema: z.ZodType, place: 'path' | 'query'): readonly object[] {
  const { properties = {}, required = [] } = jsonSchema(schema, 'input') as {
    properties?: Record<string, JsonSchema>;
    required?: readonly string[];
  };
  return Object.entries(properties).map(([name, { description, ...rest }]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    ...(description === undefined ? {} : { description }),
    schema: rest,
  }));
}

const json = (schema: JsonSchema) => ({ 'application/json': { schema } });

function responses(call: Call): Record<string, object> {
  const all: Record<string, object> = {};
  for (const [status, schema] of Object.entries(call.answers)) {
    const type = schema instanceof z.ZodString ? 'text/plain' : 'application/json';
    const content = schema === null ? {} : { content: { [type]: { schema: jsonSchema(schema, 'output') } } };
    all[status] = { description: schema === null ? 'Done' : 'The answer', ...content };
  }
  for (const [status, codes] of errorsByStatus(call)) {
    // A status that has an answer of its own, as a failed health check has, keeps it.
    all[status] ??= { description: codes.join(', '), content: json({ $ref: '#/components/schemas/Error' }) };
  }
  return all;
}

function errorsByStatus(call: Call): ReadonlyMap<number, readonly ErrorCode[]> {
  const codes = [
    ...ALWAYS,
    ...(call.body === undefined ? [] : WITH_BODY),
    ...(call.access === 'open' ? [] : WITH_CALLER),
    ...call.errors,
  ];
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of new Set(codes)) byStatus.set(STATUS_OF[code], [...(byStatus.get(STATUS_OF[code]) ?? []), code]);
  return byStatus;
}

function operation(call: Call): object {
  const all = [...parameters(call.params, 'path'), ...parameters(call.query, 'query')];
  return {
    operationId: call.name,
    summary: call.summary,
    ...(all.length === 0 ? {} : { parameters: all }),
    ...(call.body === undefined
      ? {}
      : {
          requestBody: {
            required: !call.body.safeParse(undefined).success,
            content: json(jsonSchema(call.body, 'input')),
          },
        }),
    responses: responses(call),
    ...(call.access === 'open' ? { security: [] } : {}),
  };
}

/** OpenAPI 3.1, made from the same schemas that check requests. */
export function openApiDocument(calls: readonly Call[], version: string): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const call of calls) {
    paths[call.path] = { ...paths[call.path], [call.method.toLowerCase()]: operation(call) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Kagzi',
      version,
      description: 'Durable workflows. Errors are `{ error: { code, message, details } }`; times are RFC 3339.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    security: [{ bearer: [] }, {}],
    paths,
    components: {
      schemas: { Error: jsonSchema(errorBody, 'output') },
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
    },
  };
}
