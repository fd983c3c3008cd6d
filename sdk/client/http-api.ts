import { type Duration, durationMs } from '../../shared/model/duration.ts';
import { linkSignals } from '../../shared/model/link-signals.ts';
import { type Host, thisHost, timeoutSignal } from '../host.ts';
import { isOlder, SDK_VERSION } from '../version.ts';

export interface HttpApiOptions {
  readonly url: string;
  readonly namespace?: string;
  readonly token?: string;
  /** Of one request; long polls get their waiting time on top. */
  readonly timeout?: Duration;
  /** How often a request is tried that was refused for now or got no answer. */
  readonly attempts?: number;
  /** Adds what proves who calls, SigV4 for one. */
  readonly sign?: (request: SignableRequest) => Promise<Readonly<Record<string, string>>>;
  readonly fetch?: typeof fetch;
}

export interface SignableRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** The engine refused, or could not be reached. `code` is the API's, or `UNREACHABLE`. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  constructor(
    readonly code: string,
    readonly status: number,
    message: string,
    readonly details: Readonly<Record<string, unknown>> = {},
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

export interface ApiCall {
  readonly method?: 'GET' | 'POST' | 'DELETE';
  /** Below `/v1/{namespace}`, or an absolute path. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly body?: unknown;
  /** How long the server may take on purpose. */
  readonly waitMs?: number;
  readonly signal?: AbortSignal;
}

const RETRIED_STATUSES: ReadonlySet<number> = new Set([429, 502, 503, 504]);
const BASE_MS = 100;
const CAP_MS = 5_000;

/**
 * Calls the HTTP API. Every call may be sent again: starts carry an external id or are answered with what they
 * made, and worker calls are answered the same twice.
 */
export class HttpApi {
  readonly #options: HttpApiOptions;
  readonly #base: string;
  #served: Promise<void> | null = null;

  constructor(
    options: HttpApiOptions,
    private readonly host: Host = thisHost,
  ) {
    if (!URL.canParse(options.url)) throw new TypeError(`${JSON.stringify(options.url)} is no URL of an engine.`);
    this.#options = options;
    this.#base = options.url.replace(/\/+$/, '');
  }

  /** The first call also asks, once, whether the engine still serves this SDK. */
  async call<T>(call: ApiCall): Promise<T> {
    this.#served ??= this.#requireServed();
    await this.#served;
    return this.#call<T>(call);
  }

  async #requireServed(): Promise<void> {
    let oldest: string;
    try {
      oldest = (await this.#once<{ min_sdk_version: string }>({ path: '/info' })).min_sdk_version;
    } catch {
      // Whatever is wrong, the call itself will say it better; the next one asks again.
      this.#served = null;
      return;
    }
    if (!isOlder(SDK_VERSION, oldest)) return;
    const message = `The engine at ${this.#base} serves SDK ${oldest} and newer; this is ${SDK_VERSION}.`;
    throw new ApiError('SDK_TOO_OLD', 0, message, { sdk_version: SDK_VERSION, min_sdk_version: oldest });
  }

  async #call<T>(call: ApiCall): Promise<T> {
    const attempts = this.#options.attempts ?? 5;
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#once<T>(call);
      } catch (error) {
        const again = error instanceof ApiError && (error.status === 0 || RETRIED_STATUSES.has(error.status));
        if (!again || attempt >= attempts || call.signal?.aborted === true) throw error;
        const pause = this.host.random() * Math.min(CAP_MS, BASE_MS * 2 ** attempt);
        await this.host.clock.sleep(pause, call.signal).catch(() => undefined);
      }
    }
  }

  async #once<T>(call: ApiCall): Promise<T> {
    const { method = call.body === undefined ? 'GET' : 'POST', body, signal } = call;
    const url = this.#url(call);
    const text = body === undefined ? undefined : JSON.stringify(body);
    const plain = {
      ...(text === undefined ? {} : { 'content-type': 'application/json' }),
      ...(this.#options.token === undefined ? {} : { authorization: `Bearer ${this.#options.token}` }),
    };
    const headers = { ...plain, ...(await this.#options.sign?.({ method, url, headers: plain, body: text })) };
    const timeout = timeoutSignal(this.host, durationMs(this.#options.timeout ?? '30s') + (call.waitMs ?? 0));
    const linked = linkSignals(signal, timeout.signal);
    let response: Response;
    let answer: string;
    try {
      response = await (this.#options.fetch ?? fetch)(url, {
        method,
        headers,
        signal: linked.signal,
        ...(text === undefined ? {} : { body: text }),
      });
      answer = await response.text();
    } catch (cause) {
      throw new ApiError(
        'UNREACHABLE',
        0,
        `The engine at ${this.#base} does not answer: ${reasonOf(cause)}.`,
        {},
        { cause },
      );
    } finally {
      linked.unlink();
      timeout.done();
    }
    if (response.ok) return (answer === '' ? undefined : JSON.parse(answer)) as T;
    throw refusal(response.status, answer);
  }

  #url({ path, query = {} }: ApiCall): URL {
    const namespace = encodeURIComponent(this.#options.namespace ?? 'default');
    const url = new URL(this.#base + prefixed(path, namespace));
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) url.searchParams.set(name, String(value));
    }
    return url;
  }
}

const SERVER_PATHS: ReadonlySet<string> = new Set([
  '/health',
  '/ready',
  '/info',
  '/metrics',
  '/v1/namespaces',
  '/admin/drain',
]);
const prefixed = (path: string, namespace: string): string =>
  SERVER_PATHS.has(path) ? path : `/v1/${namespace}${path}`;

const reasonOf = (cause: unknown): string => {
  const error = cause as {
    readonly message?: string;
    readonly cause?: { readonly message?: string; readonly code?: string };
  };
  return error.cause?.code ?? error.cause?.message ?? error.message ?? String(cause);
};

function refusal(status: number, answer: string): ApiError {
  try {
    const { error } = JSON.parse(answer) as {
      error: { code: string; message: string; details: Record<string, unknown> };
    };
    return new ApiError(error.code, status, error.message, error.details);
  } catch {
    return new ApiError('UNEXPECTED_ANSWER', status, `The engine answered ${status}: ${answer.slice(0, 200)}`);
  }
}
