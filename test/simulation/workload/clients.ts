import { ApiError } from '../../../sdk/client/api-error.ts';
import { HttpApi } from '../../../sdk/client/http-api.ts';
import { httpTransport } from '../../../sdk/client/http-transport.ts';
import type { Transport } from '../../../sdk/client/transport.ts';
import { encodeValue } from '../../../sdk/values.ts';
import { statusOf } from '../invariants/rules.ts';
import type { Kernel } from '../kernel/kernel.ts';
import type { Random } from '../kernel/random.ts';
import { TASK_QUEUE } from '../world/fleet.ts';
import { API_URL, type Network } from '../world/network.ts';
import type { SimProcess } from '../world/sim-process.ts';
import type { World } from '../world/world.ts';
import { PROGRAM_TYPE, type Program } from './interpret.ts';
import { longestSleepMs, type Node, Programs, VERSIONS } from './program.ts';

export const NAMESPACES = ['shop', 'bank'] as const;

/** One run that a client wants, and what it does to it. */
export interface Plan {
  readonly namespace: string;
  readonly externalId: string;
  readonly version: string;
  readonly program: Node;
  readonly startsAfterMs: number;
  readonly delayMs: number;
  readonly cancel: { readonly afterMs: number; readonly graceMs: number | null } | null;
}

export interface Asked {
  readonly plan: Plan;
  runId: string | null;
  /** A cancel was sent: it may or may not have come to anything. */
  cancelSent: boolean;
  /** A cancel without a grace was answered with success. */
  cancelled: boolean;
}

export interface WorkloadOptions {
  /** Only the runs with these numbers. */
  readonly keep?: readonly number[] | undefined;
  /** Longer sleeps are cut to this. */
  readonly maxSleepMs?: number | undefined;
}

/** The share of seeds whose runs all come at once. */
const CROWDS = 0.12;

export function planRuns(random: Random, options: WorkloadOptions): readonly Plan[] {
  // Some seeds want everything at once, of workers that have not enough hands.
  const crowd = random.chance(CROWDS);
  const programs = new Programs(random);
  const count = crowd ? random.int(4, 6) : random.int(2, 4);
  const crowded = random.pick(NAMESPACES);
  const all = Array.from({ length: count }, (_, index): Plan => {
    const program = crowd ? programs.slow() : programs.next();
    const span = Math.max(20_000, longestSleepMs(program) * 1.2);
    return {
      namespace: crowd ? crowded : random.pick(NAMESPACES),
      // Some are asked for by several clients.
      externalId: `order-${random.chance(0.1) ? 0 : index}`,
      version: random.pick(VERSIONS),
      program,
      startsAfterMs: random.int(0, crowd ? 500 : 60_000),
      delayMs: random.chance(0.1) ? random.magnitude(100, 3_600_000) : 0,
      cancel: random.chance(0.15)
        ? {
            afterMs: random.magnitude(10, span),
            graceMs: random.chance(0.5) ? random.magnitude(1_000, 120_000) : null,
          }
        : null,
    };
  });
  const cut = (plan: Plan): Plan =>
    options.maxSleepMs === undefined ? plan : { ...plan, program: capped(plan.program, options.maxSleepMs) };
  return all.filter((_, index) => options.keep?.includes(index) !== false).map(cut);
}

function capped(node: Node, ms: number): Node {
  const all = (nodes: readonly Node[]): readonly Node[] => nodes.map((each) => capped(each, ms));
  switch (node.op) {
    case 'sleep':
      return { ...node, ms: Math.min(node.ms, ms) };
    case 'seq':
    case 'parallel':
    case 'race':
      return { ...node, of: all(node.of) };
    case 'try':
      return { ...node, body: capped(node.body, ms), cleanup: node.cleanup === null ? null : capped(node.cleanup, ms) };
    case 'child':
      return { ...node, program: capped(node.program, ms) };
    case 'step':
    case 'loop':
    case 'draw':
      return node;
  }
}

const AGAIN_MS = 5_000;

/** Applications: they ask over HTTP, and ask again until they are answered. */
export class Clients {
  readonly asked: Asked[] = [];
  #busy = 0;
  readonly #kernel: Kernel;

  constructor(
    private readonly world: World,
    private readonly network: Network,
    plans: readonly Plan[],
  ) {
    this.#kernel = world.kernel;
    for (const plan of plans) {
      const asked: Asked = { plan, runId: null, cancelSent: false, cancelled: false };
      this.asked.push(asked);
      this.#busy += 1;
      void this.#serve(asked).then(() => {
        this.#busy -= 1;
      });
    }
  }

  get areDone(): boolean {
    return this.#busy === 0;
  }

  async #serve(asked: Asked): Promise<void> {
    const { plan } = asked;
    const process = this.world.spawn('client');
    const transport = this.#transport(process, plan.namespace);
    await this.#kernel.wait(plan.startsAfterMs);
    const secret = `secret-${plan.externalId}-${this.world.ids.token()}`;
    this.world.secrets.push(secret);
    const input: Program = { node: plan.program, secret };
    const startAt = plan.delayMs === 0 ? undefined : this.#kernel.now + plan.delayMs;
    const started = await this.#untilAnswered(() =>
      transport.start({
        workflowType: PROGRAM_TYPE,
        version: plan.version,
        taskQueue: TASK_QUEUE,
        externalId: plan.externalId,
        input: encodeValue(input),
        retryPolicy: undefined,
        startAt,
      }),
    );
    if (started === null) return;
    asked.runId = started.runId;
    this.world.rules.replied(plan.namespace, plan.externalId, started.runId);
    if (plan.cancel !== null) await this.#cancel(asked, transport, started.runId, plan.cancel);
  }

  async #cancel(asked: Asked, transport: Transport, runId: string, cancel: NonNullable<Plan['cancel']>): Promise<void> {
    await this.#kernel.wait(cancel.afterMs);
    const { graceMs } = cancel;
    // Of a run past its retention nothing is known any more.
    if (cancel.afterMs >= this.world.parts.config.retentionMs) return;
    asked.cancelSent = true;
    const answered = await this.#untilAnswered(async () => {
      await transport.cancel(runId, { reason: 'changed my mind', graceMs });
      return true;
    });
    asked.cancelled = answered === true && graceMs === null;
    if (!asked.cancelled) return;
    const head = this.world.table.everywhere('head').find(({ pk }) => pk.endsWith(`#${runId}`));
    if (head !== undefined && head['st'] !== 'CANCELLED') {
      this.world.rules.violate('I10', `a cancel of ${runId} was acknowledged, but it is ${statusOf(head)}`);
    }
  }

  /** Null if the engine says no. */
  async #untilAnswered<T>(ask: () => Promise<T>): Promise<T | null> {
    for (;;) {
      try {
        return await ask();
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        if (error.status >= 400 && error.status < 500) {
          if (error.code !== 'RUN_FINISHED') this.world.rules.violate('API', `a client was refused: ${error.message}`);
          return null;
        }
        await this.#kernel.wait(AGAIN_MS);
      }
    }
  }

  #transport(process: SimProcess, namespace: string): Transport {
    const host = { name: process.name, pid: 1, clock: process.clock, random: () => this.world.ids.random() };
    return httpTransport(new HttpApi({ url: API_URL, namespace, fetch: this.network.fetchFor(process) }, host));
  }
}
