import { type ApiHandler, createApiHandler } from '../../../functions/api/create-api-handler.ts';
import { apiEvent, routeRequest } from '../../../local/api-event.ts';
import type { SimProcess } from './sim-process.ts';
import type { World } from './world.ts';

export const API_URL = 'http://engine.sim';
const GATEWAY_MS = 30_000;
/** An API process that was up so long is recycled, as Lambdas are. */
const SERVICE = { version: '0.0.0', features: [], metrics: null };

interface ApiProcess {
  readonly process: SimProcess;
  readonly handlers: Map<string, ApiHandler>;
}

/** API Gateway in front of the API's processes: requests and answers take time and get lost. */
export class Network {
  readonly #apis: ApiProcess[] = [];

  constructor(
    private readonly world: World,
    private readonly size: number,
  ) {}

  /** What a process calls instead of the global one. */
  fetchFor(caller: SimProcess): typeof fetch {
    return (async (input: URL, init: RequestInit = {}) => {
      const { world } = this;
      const sent = { monotonic: caller.clock.monotonic(), at: world.kernel.now };
      const [, begunIn] = /\/runs\/([^/]+)\/steps\/begin$/.exec(input.pathname) ?? [];
      if (begunIn !== undefined) {
        const { step_id } = JSON.parse(init.body as string) as { readonly step_id: string };
        world.rules.begins(caller, begunIn, step_id, sent);
      }
      return caller.settle(this.#exchange(input, init)) as unknown;
    }) as unknown as typeof fetch;
  }

  #exchange(url: URL, init: RequestInit): Promise<unknown> {
    const { world } = this;
    const { kernel, faults } = world;
    return new Promise((resolve, reject) => {
      const fail = (why: string): void => reject(new TypeError('fetch failed', { cause: new Error(why) }));
      const given = init.signal ?? undefined;
      if (given?.aborted === true) return reject(given.reason as Error);
      given?.addEventListener('abort', () => reject(given.reason as Error), { once: true });
      if (faults.strikes('request-lost')) {
        kernel.plan(world.latencyMs(), () => fail('injected: the request was lost'));
        return;
      }
      const gateway = kernel.plan(GATEWAY_MS, () => resolve(answerOf(504, '')));
      kernel.plan(world.latencyMs(), () => {
        void this.#serve(url, init).then(({ status, body }) => {
          gateway.cancel();
          const lost = faults.strikes('answer-lost');
          kernel.plan(world.latencyMs(), () =>
            lost ? fail('injected: the answer was lost') : resolve(answerOf(status, body)),
          );
        });
      });
    });
  }

  async #serve(url: URL, init: RequestInit): Promise<{ readonly status: number; readonly body: string }> {
    const { process, handlers } = this.#api();
    const method = init.method ?? 'GET';
    const routed = routeRequest(method, url.pathname + url.search);
    const namespace = /^\/v1\/([^/]+)\//.exec(url.pathname)?.[1] ?? '';
    const handler = handlers.get(namespace) ?? this.#handler(process, namespace === '' ? null : namespace);
    handlers.set(namespace, handler);
    const request = {
      method,
      httpVersion: '1.1',
      headers: { host: url.host, ...(init.headers as Record<string, string>) },
      socket: {},
    } as unknown as Parameters<typeof apiEvent>[0];
    const event = apiEvent(request, routed, (init.body as string | undefined) ?? '', this.world.kernel.now);
    const context = init.signal == null ? {} : { signal: init.signal };
    const answered = handler(event, context).then((result) => {
      const status = result.statusCode ?? 200;
      if (status >= 500 && status !== 503) {
        this.world.rules.violate('API', `${method} ${url.pathname} answered ${status}: ${String(result.body)}`);
      }
      return { status, body: result.body ?? '' };
    });
    // Whoever waits for a process that has died hears of it from the gateway.
    const died = new Promise<{ status: number; body: string }>((resolve) => {
      process.onDeath(() => resolve({ status: 502, body: '' }));
    });
    return Promise.race([answered, died]);
  }

  #handler(process: SimProcess, namespace: string | null): ApiHandler {
    const engine = process.engine(namespace);
    return createApiHandler({ engine, service: SERVICE, telemetryFor: () => engine.telemetry });
  }

  #api(): ApiProcess {
    const { chance } = this.world;
    const alive = this.#apis.filter(({ process }) => process.isAlive);
    this.#apis.splice(0, this.#apis.length, ...alive);
    if (alive.length < this.size) this.#apis.push({ process: this.world.spawn('api'), handlers: new Map() });
    return chance.pick(this.#apis);
  }
}

const answerOf = (status: number, body: string): unknown => ({
  ok: status >= 200 && status < 300,
  status,
  headers: new Map(),
  text: () => Promise.resolve(body),
});
