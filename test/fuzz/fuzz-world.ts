import { Agent, request as httpRequest } from 'node:http';
import type { ApiHandler } from '../../functions/api/create-api-handler.ts';
import { routeKey } from '../../functions/api/routes.ts';
import { routeRequest } from '../../local/api-event.ts';
import { type HttpServer, startHttpServer } from '../../local/http-server.ts';
import { MetricsHistory } from '../../local/metrics-history.ts';
import { METRICS } from '../../local/prometheus.ts';
import { loadSettings } from '../../local/settings.ts';
import { MemoryBlobs } from '../../sdk/testing/memory-blobs.ts';
import type { Blobs } from '../../shared/ports/blobs.ts';
import { SequenceIds } from '../crash/sequence-ids.ts';
import { answerProblems } from '../helpers/answer-problems.ts';
import { ApiClient, type Asked } from '../helpers/api-client.ts';
import { bury, register, start } from '../helpers/api-driver.ts';
import type { ApiResponse } from '../helpers/api-response.ts';
import { settle } from '../helpers/manual-clock.ts';
import { type TestEngine, testEngine } from '../helpers/test-engine.ts';
import { NAMESPACES } from './fuzzed-requests.ts';
import { KnownThings } from './known-things.ts';
import type { WireRequest } from './wire-request.ts';

export interface Sent extends Asked {
  /** Whether anything was written. */
  readonly wrote: boolean;
}

const WAIT_MS = 1_000;
const WAITS_AT_MOST = 40;
const HELD_AT_ONCE = 5;
const POLLS_AT_MOST = 20;

/** An engine whose time stands still, with the API in front of it: called directly, and over HTTP on loopback. */
export class FuzzWorld {
  readonly things: ReadonlyMap<string, KnownThings> = new Map(NAMESPACES.map((name) => [name, new KnownThings()]));
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  #refreshed = 0;

  static async open(): Promise<FuzzWorld> {
    let blobWrites = 0;
    // Ids and blobs that are the same every time: a seed means the same requests and the same answers.
    const test = await testEngine({
      inMemory: true,
      wrap: (parts) => {
        const blobs = new MemoryBlobs(parts.clock);
        const counted: Blobs = {
          get: blobs.get.bind(blobs),
          list: blobs.list.bind(blobs),
          put: (...given) => {
            blobWrites += 1;
            return blobs.put(...given);
          },
          delete: (...given) => {
            blobWrites += 1;
            return blobs.delete(...given);
          },
        };
        return { ...parts, blobs: counted, ids: new SequenceIds() };
      },
    });
    const metrics = () => Promise.resolve({ contentType: 'text/plain; version=0.0.4', text: 'kagzi_up 1\n' });
    const history = new MetricsHistory(test.clock, METRICS);
    const api = new ApiClient(test, { service: { metrics, metricsHistory: () => history.read() } });
    const entered = new Entered(api.handler);
    const { settings } = loadSettings({ KAGZI_SERVER_PORT: '0' }, () => '');
    const http = await startHttpServer({ settings, handler: entered.handler, clock: test.clock });
    const world = new FuzzWorld(test, api, entered, http, () => blobWrites);
    try {
      await world.refresh();
      return world;
    } catch (error) {
      await world.close();
      throw error;
    }
  }

  private constructor(
    private readonly test: TestEngine,
    private readonly api: ApiClient,
    private readonly entered: Entered,
    private readonly http: HttpServer,
    private readonly blobWrites: () => number,
  ) {}

  async close(): Promise<void> {
    this.#agent.destroy();
    await this.http.stop(0);
    await this.test.close();
  }

  /** Requests end and delete what they name: now and then there must be new things to name. */
  async refresh(): Promise<void> {
    await this.api.post('/admin/drain', { drain: false });
    for (const namespace of NAMESPACES) await this.#refresh(namespace);
    this.#refreshed += 1;
  }

  /** Time goes by, with what the watchdog does in it. */
  passes(ms: number): Promise<void> {
    return this.test.passes(ms);
  }

  async send(wire: WireRequest, overHttp: boolean): Promise<Sent> {
    const before = this.#writes();
    const asked = overHttp ? await this.#sendOverHttp(wire) : await this.#sendDirectly(wire);
    return { ...asked, wrote: this.#writes() !== before };
  }

  /** What Node's own HTTP client would refuse to send. */
  static canGoOverHttp({ url, headers, base64, text }: WireRequest): boolean {
    const plain = [url, ...Object.values(headers)].every((value) => /^[\x21-\x7e ]*$/.test(value));
    return plain && !url.includes(' ') && !base64 && text.isWellFormed();
  }

  #writes(): number {
    const row = this.test.embedded.store.prepare('SELECT total_changes() AS n').get() as { readonly n: number };
    return row.n + this.blobWrites();
  }

  async #sendDirectly({ method, url, headers, text, base64 }: WireRequest): Promise<Asked> {
    const gone = new AbortController();
    const answer = this.api.ask(method, url, undefined, { text, headers, base64, signal: gone.signal });
    answer.catch(() => undefined);
    // Those who wait do so on a clock that stands still.
    await settle();
    gone.abort();
    return answer;
  }

  async #sendOverHttp(wire: WireRequest): Promise<Asked> {
    const { call } = routeRequest(wire.method, wire.url);
    this.entered.expect();
    let isAnswered = false;
    const answering = this.#exchange(wire).finally(() => {
      isAnswered = true;
    });
    answering.catch(() => undefined);
    await Promise.race([this.entered.once, answering.catch(() => undefined)]);
    await settle();
    for (let waits = 0; !isAnswered && this.entered.isBusy && waits < WAITS_AT_MOST; waits++) {
      await this.test.clock.advance(WAIT_MS);
    }
    const answer = await answering;
    if (call !== null) this.api.answered.add(`${routeKey(call)} ${answer.status}`);
    // A caller that is not let in hears so before anything else, whatever it has asked for.
    const problems = wire.method === 'HEAD' ? [] : answerProblems(call, answer);
    return { call, answer, problems };
  }

  #exchange({ method, url, headers, text }: WireRequest): Promise<ApiResponse> {
    const { hostname, port } = new URL(this.http.url);
    return new Promise((resolve, reject) => {
      const sent = httpRequest(
        {
          agent: this.#agent,
          hostname,
          port,
          method,
          path: url,
          headers: { ...headers, 'content-length': Buffer.byteLength(text) },
        },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('error', reject);
          response.on('end', () => {
            const body = Buffer.concat(chunks).toString('utf8');
            const isJson = response.headers['content-type']?.startsWith('application/json') === true;
            resolve({
              status: response.statusCode ?? 0,
              headers: Object.fromEntries(
                Object.entries(response.headers).map(([name, value]) => [name, String(value)]),
              ),
              body: body === '' ? undefined : isJson ? (JSON.parse(body) as unknown) : body,
            });
          });
        },
      );
      sent.on('error', reject);
      sent.end(text);
    });
  }

  async #refresh(namespace: string): Promise<void> {
    const base = `/v1/${namespace}`;
    const { api } = this;
    const things = this.things.get(namespace);
    const learn = (answer: unknown): void => things?.learn({ path: '', params: {}, query: {} }, answer);
    const workerId = await register(api, { max_concurrent: 100 }, base);
    for (let held = 0; held < HELD_AT_ONCE; held++) learn({ run_id: await start(api, { input: { held } }, base) });
    for (let polls = 0, held = 0; polls < POLLS_AT_MOST && held < HELD_AT_ONCE; polls++) {
      const poll = { worker_id: workerId, timeout_secs: 0 };
      const { body } = await api.post(`${base}/task-queues/default/poll`, poll);
      const { task } = body as { readonly task: { readonly run_id: string; readonly lease: string } | null };
      if (task === null) continue;
      held += 1;
      const step = (name: string, call: string): Promise<ApiResponse> =>
        api.post(`${base}/runs/${task.run_id}/steps/${call}`, { step_id: name, lease: task.lease });
      await step('done', 'begin');
      await step('done', 'complete');
      await step('begun', 'begin');
      if (held === 1) learn((await api.post(`${base}/runs/${task.run_id}/complete`, { lease: task.lease })).body);
      else learn(task);
      if (held === 2) await api.post(`${base}/runs/${task.run_id}/cancel`, { grace_ms: 600_000 });
    }
    learn({ worker_id: workerId });
    const schedule = { workflow_type: 'order', cron_expr: '@hourly' };
    learn((await api.post(`${base}/schedules`, schedule)).body);
    learn({ run_id: await start(api, { delay_ms: 60_000 }, base) });
    if (this.#refreshed % 8 > 0) return;
    await start(api, {}, base);
    learn({ id: await bury(this.test, api, base), died_at: '' });
  }
}

/** Knows whether a request that came over HTTP has reached the handler, and has been answered by it. */
class Entered {
  once: Promise<void> = Promise.resolve();
  isBusy = false;
  #enter: () => void = () => undefined;

  constructor(private readonly inner: ApiHandler) {}

  expect(): void {
    this.once = new Promise((resolve) => {
      this.#enter = resolve;
    });
  }

  handler: ApiHandler = async (event, context) => {
    this.isBusy = true;
    this.#enter();
    try {
      return await this.inner(event, context);
    } finally {
      this.isBusy = false;
    }
  };
}
