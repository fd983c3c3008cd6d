import { type Duration, durationMs } from '../../shared/model/duration.ts';
import { linkSignals } from '../../shared/model/link-signals.ts';
import { SigningError } from '../../shared/model/signing-error.ts';
import type { RequestSigner, SignableRequest } from '../../shared/ports/request-signer.ts';
import { InvalidArgumentError, shown } from '../check-options.ts';
import { type Host, thisHost, timeoutSignal } from '../host.ts';
import { isOlder, SDK_VERSION } from '../version.ts';
import { ApiError, readAnswer, refusal } from './api-error.ts';
import { type CallerProof, signerOf } from './caller-proof.ts';

interface HttpApiSettings {
  readonly url: string;
  readonly namespace?: string;
  /** Of a call with all its attempts, 30 seconds if not given; long polls get their waiting time on top. */
  readonly timeout?: Duration;
  /** Of one attempt, 15 seconds if not given, with the waiting time on top as well. */
  readonly attemptTimeout?: Duration;
  /** How often a request is tried that was refused for now or got no answer. */
  readonly attempts?: number;
  readonly fetch?: typeof fetch;
}

export type HttpApiOptions = HttpApiSettings & CallerProof;
export type Patience = Pick<HttpApiSettings, 'timeout' | 'attemptTimeout' | 'attempts'>;

export interface ApiCall {
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Below `/v1/{namespace}`, or an absolute path. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly body?: unknown;
  /** How long the server may take on purpose. */
  readonly waitMs?: number;
  /** However long it might wait or try again, it ends by then. */
  readonly limitMs?: number;
  readonly signal?: AbortSignal;
}

const RETRIED_STATUSES: ReadonlySet<number> = new Set([429, 502, 503, 504]);
const mayPassLater = (error: unknown): boolean =>
  error instanceof SigningError
    ? error.isTransient
    : error instanceof ApiError && (error.status === 0 || RETRIED_STATUSES.has(error.status));
const BASE_MS = 100;
const CAP_MS = 5_000;

/** A request as somebody else has written it. */
export interface RawCall {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly body: string | undefined;
  readonly signal: AbortSignal;
}

/** What calls to one engine by one caller have in common. */
interface Link {
  readonly signer: RequestSigner | null;
  served: Promise<void> | null;
}

export interface ApiAnswered {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
}

interface Answered extends ApiAnswered {
  /** The headers that proved who called. */
  readonly proof: Readonly<Record<string, string>>;
}

/**
 * Calls the HTTP API. Every call may be sent again: starts carry an external id or are answered with what they
 * made, and worker calls are answered the same twice.
 */
export class HttpApi {
  readonly #options: HttpApiOptions;
  readonly #base: string;
  readonly #signer: RequestSigner | null;
  readonly #link: Link;

  constructor(
    options: HttpApiOptions,
    private readonly host: Host = thisHost,
    link?: Link,
  ) {
    requireUrl(options.url);
    this.#options = options;
    this.#base = options.url.replace(/\/+$/, '');
    const { hostname } = new URL(options.url);
    this.#link = link ?? { signer: signerOf(options, hostname, () => host.clock.now()), served: null };
    this.#signer = this.#link.signer;
  }

  /** The same engine and the same caller, with other patience. */
  with(patience: Patience): HttpApi {
    return new HttpApi({ ...this.#options, ...patience }, this.host, this.#link);
  }

  /** Sends on what somebody else asks, once, and answers whatever comes back. */
  async forward({ method, target, body, signal }: RawCall): Promise<ApiAnswered> {
    const url = new URL(this.#base + target);
    url.pathname = strictly(url.pathname);
    url.search = strictly(url.search);
    const request = { method, url, headers: body === undefined ? {} : { 'content-type': 'application/json' }, body };
    const answered = await this.#send(request, signal);
    return (await this.#mayPass(answered)) ? this.#send(request, signal) : answered;
  }

  /** The first call also asks, once, whether the engine still serves this SDK. */
  async call<T>(call: ApiCall): Promise<T> {
    const timeoutMs = durationMs(this.#options.timeout ?? '30s') + (call.waitMs ?? 0);
    const limit = timeoutSignal(this.host, Math.min(timeoutMs, call.limitMs ?? timeoutMs));
    const { signal, unlink } = linkSignals(call.signal, limit.signal);
    try {
      this.#link.served ??= this.#requireServed();
      await this.#inTime(this.#link.served, signal);
      return await this.#call<T>({ ...call, signal });
    } finally {
      unlink();
      limit.done();
    }
  }

  /** Many calls may wait for the same answer, each no longer than it has time; what is wrong, the call itself says better. */
  async #inTime(served: Promise<void>, signal: AbortSignal): Promise<void> {
    await unless(signal, served).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
  }

  async #requireServed(): Promise<void> {
    let oldest: string;
    try {
      oldest = (await this.#once<{ min_sdk_version: string }>({ path: '/info' })).min_sdk_version;
    } catch (error) {
      // Whatever is wrong, the call itself will say it better; the next one asks again.
      this.#link.served = null;
      if (error instanceof SigningError && !error.isTransient) throw error;
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
        if (!mayPassLater(error) || attempt >= attempts || call.signal?.aborted === true) throw error;
        const pause = this.host.random() * Math.min(CAP_MS, BASE_MS * 2 ** attempt);
        await this.host.clock.sleep(pause, call.signal).catch(() => undefined);
      }
    }
  }

  async #once<T>(call: ApiCall): Promise<T> {
    const { method = call.body === undefined ? 'GET' : 'POST', body } = call;
    const text = body === undefined ? undefined : JSON.stringify(body);
    const headers: Record<string, string> = text === undefined ? {} : { 'content-type': 'application/json' };
    const request = { method, url: this.#url(call), headers, body: text };
    const timeout = timeoutSignal(this.host, durationMs(this.#options.attemptTimeout ?? '15s') + (call.waitMs ?? 0));
    const linked = linkSignals(call.signal, timeout.signal);
    let answered: Answered;
    try {
      answered = await this.#send(request, linked.signal);
      if (await this.#mayPass(answered)) answered = await this.#send(request, linked.signal);
    } finally {
      linked.unlink();
      timeout.done();
    }
    if (answered.status >= 200 && answered.status < 300) {
      return (answered.text === '' ? undefined : readAnswer(this.#base, answered)) as T;
    }
    throw refusal(this.#base, answered);
  }

  async #send(request: SignableRequest, signal: AbortSignal): Promise<Answered> {
    const { method, url, headers, body } = request;
    const proof = await this.#prove(request, signal);
    try {
      const response = await (this.#options.fetch ?? fetch)(url, {
        method,
        headers: { ...headers, ...proof },
        signal,
        // What proves who calls is for this host only.
        redirect: this.#signer === null ? 'follow' : 'manual',
        ...(body === undefined ? {} : { body }),
      });
      return { status: response.status, headers: response.headers, text: await response.text(), proof };
    } catch (cause) {
      const message = `The engine at ${this.#base} does not answer: ${reasonOf(cause)}.`;
      throw new ApiError('UNREACHABLE', 0, message, {}, { cause });
    }
  }

  async #prove(request: SignableRequest, signal: AbortSignal): Promise<Answered['proof']> {
    if (this.#signer === null) return {};
    try {
      return await unless(signal, this.#signer.sign(request));
    } catch (cause) {
      if (!signal.aborted) throw cause;
      const message = `The call to ${this.#base} was not signed in time: ${reasonOf(cause)}.`;
      throw new ApiError('UNREACHABLE', 0, message, {}, { cause });
    }
  }

  /** Once a call: a wrong clock is set, and credentials that have changed are taken up. */
  async #mayPass({ status, headers, proof }: Answered): Promise<boolean> {
    if ((status !== 401 && status !== 403) || this.#signer?.reconsider === undefined) return false;
    const date = Date.parse(headers.get('date') ?? '');
    // An answer with an age comes from a cache, and its date with it.
    const serverTime = Number.isNaN(date) || headers.has('age') ? null : date;
    return this.#signer.reconsider({ signature: proof, serverTime });
  }

  #url({ path, query = {} }: ApiCall): URL {
    const namespace = encodeURIComponent(this.#options.namespace ?? 'default');
    const url = new URL(this.#base + prefixed(path, namespace));
    const given = Object.entries(query).filter(([, value]) => value !== undefined);
    url.pathname = strictly(url.pathname);
    url.search = given.map(([name, value]) => `${name}=${encoded(String(value))}`).join('&');
    return url;
  }
}

/**
 * Everything but letters, digits, `-_.~` is encoded, and a space is no `+`: there is one way to write a URL then, and
 * whoever checks a signature writes it the same way.
 */
const strictly = (part: string): string =>
  part.replace(/[!'()*]/g, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`);
const encoded = (text: string): string => strictly(encodeURIComponent(text.toWellFormed()));

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

/** The promise, or the signal's reason if that comes first. */
function unless<T>(signal: AbortSignal, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason as Error);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    void promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

function requireUrl(url: unknown): void {
  if (typeof url === 'string' && URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return;
  throw new InvalidArgumentError(`${shown(url)} is no URL of an engine, such as http://127.0.0.1:8750`);
}
