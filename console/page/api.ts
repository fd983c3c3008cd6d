import { readToken } from './token.ts';

/** What the engine, or the way to it, had against a call. */
export class ApiProblem extends Error {
  override readonly name = 'ApiProblem';
  constructor(
    readonly code: string,
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

export interface ApiRequest {
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: unknown;
  readonly signal?: AbortSignal;
}

const TIMEOUT_MS = 30_000;

/** Calls the public API of the server the page came from. */
export async function callApi<T>(path: string, request: ApiRequest = {}): Promise<T> {
  const { body, query = {}, signal, method = body === undefined ? 'GET' : 'POST' } = request;
  const token = readToken();
  const limit = AbortSignal.timeout(TIMEOUT_MS);
  let response: Response;
  try {
    response = await fetch(path + queryText(query), {
      method,
      headers: {
        accept: 'application/json',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      },
      signal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  } catch (cause) {
    if (signal?.aborted === true) throw cause;
    throw new ApiProblem('UNREACHABLE', 0, 'The engine does not answer.');
  }
  const text = await response.text();
  if (response.ok) return (text === '' ? undefined : parsed(response.status, text)) as T;
  throw refusal(response.status, text);
}

const queryText = (query: NonNullable<ApiRequest['query']>): string => {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  const text = given.map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`).join('&');
  return text === '' ? '' : `?${text}`;
};

function parsed(status: number, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ApiProblem('UNEXPECTED_ANSWER', status, 'What answers here is no engine.');
  }
}

function refusal(status: number, text: string): ApiProblem {
  try {
    const { error } = JSON.parse(text) as { readonly error: { readonly code: string; readonly message: string } };
    return new ApiProblem(error.code, status, error.message);
  } catch {
    return new ApiProblem('UNEXPECTED_ANSWER', status, `The engine answered with status ${status}.`);
  }
}

export const problemOf = (error: unknown): ApiProblem =>
  error instanceof ApiProblem
    ? error
    : new ApiProblem('INTERNAL', 0, error instanceof Error ? error.message : String(error));

/** Path below a namespace. */
export const within = (namespace: string, path: string): string => `/v1/${encodeURIComponent(namespace)}${path}`;
