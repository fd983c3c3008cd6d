import type { IncomingMessage } from 'node:http';
import type { ApiService, Call } from '../../functions/api/call.ts';
import { type ApiHandler, createApiHandler } from '../../functions/api/create-api-handler.ts';
import type { ApiResult } from '../../functions/api/request-context.ts';
import { routeKey } from '../../functions/api/routes.ts';
import { apiEvent, routeRequest } from '../../local/api-event.ts';
import type { Engine } from '../../shared/store/engine.ts';
import { type AnswerProblem, answerProblems } from './answer-problems.ts';
import type { ApiResponse } from './api-response.ts';
import type { TestEngine } from './test-engine.ts';

export interface RequestOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** The body as it goes over the wire, instead of the JSON of a value. */
  readonly text?: string;
  readonly base64?: boolean;
}

export interface Asked {
  /** Null for no route there is. */
  readonly call: Call | null;
  readonly answer: ApiResponse;
  readonly problems: readonly AnswerProblem[];
}

export interface ApiClientOptions {
  readonly engine?: Engine;
  readonly service?: Partial<ApiService>;
}

/** Calls the real handler, and checks each answer against what its route declares. */
export class ApiClient {
  /** Every route and status answered so far, as `GET /info 200`. */
  readonly answered = new Set<string>();
  readonly handler: ApiHandler;
  readonly #now: () => number;

  constructor(test: TestEngine, options: ApiClientOptions = {}) {
    const { telemetry } = test;
    this.#now = () => test.clock.now();
    this.handler = createApiHandler({
      engine: options.engine ?? test.engine,
      service: { version: '1.2.3', features: ['runs'], metrics: null, ...options.service },
      telemetryFor: ({ correlationId, trace }) => ({
        count: telemetry.count.bind(telemetry),
        log: (level, message, fields) =>
          telemetry.log(level, message, { ...fields, correlation_id: correlationId, trace_id: trace.id }),
      }),
    });
  }

  get = (url: string, options?: RequestOptions): Promise<ApiResponse> => this.send('GET', url, undefined, options);
  delete = (url: string, options?: RequestOptions): Promise<ApiResponse> =>
    this.send('DELETE', url, undefined, options);
  post = (url: string, body?: unknown, options?: RequestOptions): Promise<ApiResponse> =>
    this.send('POST', url, body, options);

  /** Throws if the answer is not as declared. */
  async send(method: string, url: string, body?: unknown, options: RequestOptions = {}): Promise<ApiResponse> {
    const { answer, problems } = await this.ask(method, url, body, options);
    if (problems.length === 0) return answer;
    const wrong = problems.map(({ kind, what }) => `${kind}: ${what}`).join('; ');
    throw new Error(`${method} ${url.slice(0, 200)} answered ${answer.status}: ${wrong}`);
  }

  async ask(method: string, url: string, body?: unknown, options: RequestOptions = {}): Promise<Asked> {
    const routed = routeRequest(method, url);
    const text = options.text ?? (body === undefined ? '' : JSON.stringify(body));
    const headers = text === '' ? {} : { 'content-type': 'application/json' };
    const request = { method, headers: { ...headers, ...options.headers }, httpVersion: '1.1', socket: {} };
    const plain = apiEvent(request as unknown as IncomingMessage, routed, text, this.#now());
    const event =
      options.base64 === true ? { ...plain, body: Buffer.from(text).toString('base64'), isBase64Encoded: true } : plain;
    const result = await this.handler(event, options.signal === undefined ? {} : { signal: options.signal });
    const answer = readResult(result);
    const { call } = routed;
    if (call !== null) this.answered.add(`${routeKey(call)} ${answer.status}`);
    return { call, answer, problems: answerProblems(call, answer) };
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
