import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { METRIC_NAMESPACE, serviceOf } from '../../../functions/metric-place.ts';
import { HttpApi } from '../../../sdk/client/http-api.ts';
import { type Client, createClient } from '../../../sdk/index.ts';
import type { Metric } from '../../../shared/ports/telemetry.ts';
import { DYNAMO_ENGINES, type EngineKind } from '../../helpers/dynamo-engines.ts';
import type { Caller } from '../http/caller.ts';
import type { TokenIssuer } from '../http/token-issuer.ts';
import type { Grant } from '../iam/grants.ts';
import { metricKey } from '../metrics/emitted-metrics.ts';
import { StackBed } from '../stack-bed.ts';
import { REGION } from '../template/physical-resource.ts';
import { synthesise } from '../template/synthesise.ts';
import { e2eContext } from './e2e-context.ts';

type Handle = ReturnType<Client['run']>;
type Auth = Readonly<Record<string, unknown>>;

interface WorldOptions {
  /** What `synthesiseWorld` has made; made for this one, if not given. */
  readonly stack?: string;
  readonly without?: Grant;
  readonly auth?: Auth;
  /** In place of that of cdk.json. */
  readonly app?: string;
  readonly issuers?: readonly TokenIssuer[];
  readonly concurrency?: number;
  /** Makes bundles in the folder given, to use in place of the stack's own. */
  readonly code?: (scratch: string) => Promise<Readonly<Record<string, string>>>;
}

/** The engine to use, or why there is none. */
export function findEngine(): EngineKind | { readonly unavailable: string } {
  const why: string[] = [];
  for (const engine of DYNAMO_ENGINES) {
    if (!('unavailable' in engine.launch)) return engine;
    why.push(engine.launch.unavailable);
  }
  return { unavailable: why.join('; ') };
}

/** The stack in a folder of its own, for any number of worlds. */
export async function synthesiseWorld({ auth, app }: Pick<WorldOptions, 'auth' | 'app'> = {}): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), 'kagzi-stack-'));
  try {
    await synthesise(directory, e2eContext(auth), app);
    return directory;
  } catch (error) {
    rmSync(directory, { recursive: true, force: true });
    throw error;
  }
}

/** The stack of an environment, deployed to this machine, and those who call it. */
export class E2eWorld {
  readonly shop: Caller;
  readonly other: Caller;

  static async open(options: WorldOptions = {}): Promise<E2eWorld> {
    const engine = findEngine();
    if ('unavailable' in engine) throw new Error(`there is no DynamoDB engine: ${engine.unavailable}`);
    const stack = options.stack ?? (await synthesiseWorld(options));
    const scratch = mkdtempSync(join(tmpdir(), 'kagzi-bed-'));
    const folders = options.stack === undefined ? [stack, scratch] : [scratch];
    try {
      const bed = await StackBed.open({
        directory: stack,
        scratch,
        engine,
        issuers: options.issuers ?? [],
        concurrency: options.concurrency ?? 2,
        code: (await options.code?.(scratch)) ?? {},
        without: options.without ?? null,
      });
      return new E2eWorld(bed, scratch, folders);
    } catch (error) {
      for (const folder of folders) rmSync(folder, { recursive: true, force: true });
      throw error;
    }
  }

  private constructor(
    readonly bed: StackBed,
    readonly scratch: string,
    private readonly folders: readonly string[],
  ) {
    this.shop = bed.addCaller('shop-application', ['shop']);
    this.other = bed.addCaller('other-application', ['other']);
  }

  async close(): Promise<void> {
    await this.bed.close();
    for (const folder of this.folders) rmSync(folder, { recursive: true, force: true });
  }

  connection(caller: Caller = this.shop, namespace = 'shop') {
    return { url: this.bed.url, namespace, credentials: caller.credentials, region: REGION };
  }

  client(caller?: Caller, namespace?: string): Client {
    return createClient({ ...this.connection(caller, namespace), timeout: '60s' });
  }

  /** For calls that the client has no name for. */
  api(caller?: Caller, namespace?: string): HttpApi {
    return new HttpApi({ ...this.connection(caller, namespace), timeout: '60s' });
  }

  /** Waits for the end of a run without moving the clock; answers its output. */
  async outputOf(handle: Handle, withinMs = 60_000): Promise<unknown> {
    await this.bed.until(`the end of ${handle.runId}`, async () => hasEnded(await handle.status()), withinMs);
    const { status, output, error } = await handle.get();
    if (status !== 'COMPLETED') throw new Error(`${handle.runId} is ${status}: ${JSON.stringify(error)}`);
    return output;
  }

  /** Lets time pass until a run has ended; answers its output. */
  async passUntilEnd(handle: Handle, withinMs: number, stepMs = 5_000): Promise<unknown> {
    await this.#passWhile(async () => !hasEnded(await handle.status()), withinMs, stepMs);
    return this.outputOf(handle);
  }

  /** Lets time pass until it holds; gives the machine a while once it has passed. */
  async passUntil(what: string, holds: () => Promise<boolean>, withinMs: number, stepMs: number): Promise<void> {
    await this.#passWhile(async () => !(await holds()), withinMs, stepMs);
    await this.bed.until(what, holds);
  }

  /** Functions write what they counted at the end of an invocation. */
  async untilCounted(...metrics: readonly Metric[]): Promise<void> {
    const dimensions = { service: serviceOf('dev') };
    for (const metric of metrics) {
      const key = metricKey(METRIC_NAMESPACE, metric, dimensions);
      await this.bed.until(`a count of ${metric}`, () => this.bed.metrics.sum(key) > 0);
    }
  }

  async #passWhile(goesOn: () => Promise<boolean>, withinMs: number, stepMs: number): Promise<void> {
    for (let left = withinMs; left > 0 && (await goesOn()); left -= stepMs) await this.bed.pass(stepMs, stepMs);
  }
}

const hasEnded = (status: string): boolean => ['COMPLETED', 'FAILED', 'CANCELLED'].includes(status);
