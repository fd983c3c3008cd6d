import type { IncomingMessage } from 'node:http';
import { expect } from 'vitest';
import { z } from 'zod';
import type { ApiService, Call } from '../../functions/api/call.ts';
import { createApiHandler } from '../../functions/api/create-api-handler.ts';
import { errorBody } from '../../functions/api/error-response.ts';
import { openApiDocument } from '../../functions/api/openapi-document.ts';
import type { ApiResult } from '../../functions/api/request-context.ts';
import { ROUTES, routeKey } from '../../functions/api/routes.ts';
import { apiEvent, routeRequest } from '../../local/api-event.ts';
import { STATUS_OF } from '../../shared/model/errors.ts';
import type { Engine } from '../../shared/store/engine.ts';
import { type JsonSchema, misfits } from './json-schema.ts';
import type { TestEngine } from './test-engine.ts';

export interface ApiResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined for none; the text itself where it is no JSON. */
  readonly body: unknown;
}

export interface RequestOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** The body as it goes over the wire, instead of the JSON of a value. */
  readonly text?: string;
  readonly base64?: boolean;
}

export interface ApiClientOptions {
  readonly engine?: Engine;
  readonly service?: Partial<ApiService>;
}

const TRACE_ID = /^[0-9a-f]{32}$/;
interface DocumentedAnswer {
  readonly description: string;
  readonly content?: Readonly<Record<string, { readonly schema: JsonSchema }>>;
}
const { paths, components } = openApiDocument(ROUTES, '0') as {
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { readonly responses: Readonly<Record<string, DocumentedAnswer>> }>>>
  >;
  readonly components: { readonly schemas: { readonly Error: JsonSchema } };
};
const documented = (call: Call, status: number): DocumentedAnswer | undefined =>
  paths[call.path]?.[call.method.toLowerCase()]?.responses[String(status)];

/** Calls the real handler, and checks each answer against what its route declares. */
export class ApiClient {
  /** Every route and status answered so far, as `GET /info 200`. */
  readonly answered = new Set<string>();
  readonly #handler: ReturnType<typeof createApiHandler>;
  readonly #now: () => number;

  constructor(test: TestEngine, options: ApiClientOptions = {}) {
    const { telemetry } = test;
    this.#now = () => test.clock.now();
    this.#handler = createApiHandler({
      engine: options.engine ?? test.engine,
      service: { version: '1.2.3', features: ['runs'], metrics: null, ...options.service },
      telemetryFor: ({ correlationId, traceId }) => ({
        count: telemetry.count.bind(telemetry),
        log: (level, message, fields) =>
          telemetry.log(level, message, { ...fields, correlation_id: correlationId, trace_id: traceId }),
      }),
    });
  }

  get = (url: string, options?: RequestOptions): Promise<ApiResponse> => this.send('GET', url, undefined, options);
  delete = (url: string, options?: RequestOptions): Promise<ApiResponse> =>
    this.send('DELETE', url, undefined, options);
  post = (url: string, body?: unknown, options?: RequestOptions): Promise<ApiResponse> =>
    this.send('POST', url, body, options);

  async send(method: string, url: string, body?: unknown, options: RequestOptions = {}): Promise<ApiResponse> {
    const routed = routeRequest(method, url);
    const text = options.text ?? (body === undefined ? '' : JSON.stringify(body));
    const headers = text === '' ? {} : { 'content-type': 'application/json' };
    const request = { method, headers: { ...headers, ...options.headers }, httpVersion: '1.1', socket: {} };
    const plain = apiEvent(request as unknown as IncomingMessage, routed, text, this.#now());
    const event =
      options.base64 === true ? { ...plain, body: Buffer.from(text).toString('base64'), isBase64Encoded: true } : plain;
    const result = await this.#handler(event, options.signal === undefined ? {} : { signal: options.signal });
    const answer = readResult(result);
    if (routed.call !== null) this.answered.add(`${routeKey(routed.call)} ${answer.status}`);
    checkAnswer(`${method} ${url.slice(0, 200)}`, routed.call, answer);
    return answer;
  }
}

function readResult({ statusCode, headers, body }: ApiResult): ApiResponse {
  const texts = Object.fromEntries(Object.entries(headers ?? {}).map(([name, value]) => [name, String(value)]));
  const isJson = texts['content-type']?.startsWith('application/json') === true;
  return {
    status: statusCode ?? 0,
    headers: texts,
    body: body !== undefined && isJson ? (JSON.parse(body) as unknown) : body,
  };
}

function checkAnswer(what: string, call: Call | null, answer: ApiResponse): void {
  const { status, headers, body } = answer;
  expect(headers['x-correlation-id'], what).toMatch(/^[\w.:/-]{1,128}$/);
  expect(headers['x-trace-id'], what).toMatch(TRACE_ID);
  expect(headers, what).toMatchObject({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
  const declared = call?.answers[status];
  if (declared === undefined) checkError(what, call, answer);
  else if (declared === null) {
    expect({ body, type: headers['content-type'] }, what).toEqual({ body: undefined, type: undefined });
  } else {
    checkBody(what, declared, answer);
    const described = documented(call as Call, status)?.content?.[String(headers['content-type']).split(';')[0] ?? ''];
    expect(described === undefined ? ['no schema'] : misfits(described.schema, body), what).toEqual([]);
  }
}

function checkBody(what: string, declared: z.ZodType, { status, headers, body }: ApiResponse): void {
  const type = declared instanceof z.ZodString ? /^text\/plain/ : /^application\/json; charset=utf-8$/;
  expect(headers['content-type'], what).toMatch(type);
  const parsed = declared.safeParse(body);
  expect(parsed.success ? [] : parsed.error.issues, `${what} answered ${status} with another body`).toEqual([]);
}

function checkError(what: string, call: Call | null, { status, headers, body }: ApiResponse): void {
  expect(headers['content-type'], what).toBe('application/json; charset=utf-8');
  const parsed = errorBody.safeParse(body);
  if (!parsed.success) throw new Error(`${what} answered ${status} with ${JSON.stringify(body)}`);
  const { code } = parsed.data.error;
  expect(STATUS_OF[code], what).toBe(status);
  if (call === null) {
    expect(['ROUTE_NOT_FOUND', 'METHOD_NOT_ALLOWED'], what).toContain(code);
    expect(headers['allow'] !== undefined, what).toBe(code === 'METHOD_NOT_ALLOWED');
    return;
  }
  expect(misfits(components.schemas.Error, body), what).toEqual([]);
  const codes = documented(call, status)?.description.split(', ');
  expect(codes, `${what} answered ${status}, which is not documented`).toBeDefined();
  expect(codes, `${what} answered ${code}, which is not documented`).toContain(code);
}
