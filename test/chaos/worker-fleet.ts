import { setTimeout as delay } from 'node:timers/promises';
import type { SeededRandom } from '../helpers/seeded-random.ts';
import { ChaosProcess } from './chaos-process.ts';
import type { FaultBudget } from './fault-budget.ts';
import { heldAtEnd, readLedger } from './ledger.ts';
import type { WorkerArguments } from './worker-process.ts';

interface FleetParts {
  readonly script: string;
  readonly given: Omit<WorkerArguments, 'name'>;
  readonly random: SeededRandom;
  readonly kills: FaultBudget;
  readonly stops: FaultBudget;
  /** Longer than a lease. */
  readonly freezeMs: readonly [number, number];
  /** Who holds a run, as the engine sees it; null if nobody does, or the engine is away. */
  readonly holderOf: (runId: string) => Promise<string | null>;
  readonly signal: AbortSignal;
}

type Worker = ChaosProcess<{ readonly took: true }>;

/** From its first run on, a worker lives this long at most. */
const LIFE_MS = 500;
const LOOK_MS = 50;
/** Until a signal has surely arrived. */
const SIGNAL_MS = 20;
/** A frozen worker is thawed once it has lost a run, and after this long in any case. */
const MAX_FREEZE_MS = 20_000;

/** Polling workers, each in a process of its own: some are killed, some frozen, and there are always as many. */
export class WorkerFleet {
  idleKills = 0;
  /** Frozen workers that had lost a run by the time they were thawed. */
  overtaken = 0;
  readonly #workers = new Set<Worker>();
  #born = 0;
  #calm = false;

  constructor(private readonly parts: FleetParts) {}

  /** Until it is told to be calm: no more faults then, and those that live go on. */
  async run(count: number): Promise<void> {
    await Promise.all(Array.from({ length: count }, () => this.#slot()));
  }

  calm(): void {
    this.#calm = true;
  }

  async end(): Promise<void> {
    this.#calm = true;
    await Promise.all([...this.#workers].map((worker) => worker.kill()));
  }

  get output(): string {
    return [...this.#workers].map(({ output }) => output).join('');
  }

  /** One worker after the other, each until it is killed. */
  async #slot(): Promise<void> {
    while (!this.#calm) {
      const { kills, stops } = this.parts;
      const worker = this.#spawn();
      for (let isKilled = false; !isKilled && !this.#calm; ) {
        const took = await Promise.race([worker.message.then(() => true), this.#pause().then(() => false)]);
        if (!worker.isAlive) throw new Error(`${worker.name} ended by itself: ${worker.output}`);
        isKilled = took && kills.isDue;
        if (isKilled) await kills.spend(() => this.#kill(worker));
        else if (took && stops.isDue) await stops.spend(() => this.#freeze(worker));
        else await this.#pause();
      }
    }
  }

  #spawn(): Worker {
    const name = `worker-${++this.#born}`;
    const worker: Worker = new ChaosProcess(name, this.parts.script, { ...this.parts.given, name });
    this.#workers.add(worker);
    void worker.ended.then(() => this.#workers.delete(worker));
    return worker;
  }

  #pause(): Promise<void> {
    return delay(LOOK_MS, undefined, { signal: this.parts.signal });
  }

  /** Whether it held a run. */
  async #kill(worker: Worker): Promise<boolean> {
    await delay(this.parts.random.between(0, LIFE_MS));
    await worker.kill();
    const working = this.#heldBy(worker).size > 0;
    if (!working) this.idleKills += 1;
    return working;
  }

  /** Frozen over its lease, and thawed as a worker that does not know. Whether it held a run. */
  async #freeze(worker: Worker): Promise<boolean> {
    await delay(this.parts.random.between(0, LIFE_MS));
    worker.signal('SIGSTOP');
    await delay(SIGNAL_MS);
    try {
      const held = await this.#holders(this.#heldBy(worker));
      if (held.size === 0) return false;
      const { random, freezeMs, signal } = this.parts;
      await delay(random.between(...freezeMs), undefined, { signal });
      if (await this.#isOvertaken(held)) this.overtaken += 1;
      return true;
    } finally {
      worker.signal('SIGCONT');
    }
  }

  async #isOvertaken(held: ReadonlyMap<string, string>): Promise<boolean> {
    for (const until = performance.now() + MAX_FREEZE_MS; performance.now() < until; await this.#pause()) {
      for (const [runId, before] of held) {
        const now = await this.parts.holderOf(runId);
        if (now !== null && now !== before) return true;
      }
    }
    return false;
  }

  async #holders(runIds: Iterable<string>): Promise<ReadonlyMap<string, string>> {
    const holders = new Map<string, string>();
    for (const runId of runIds) {
      const holder = await this.parts.holderOf(runId);
      if (holder !== null) holders.set(runId, holder);
    }
    return holders;
  }

  #heldBy(worker: Worker): ReadonlySet<string> {
    return heldAtEnd(readLedger(this.parts.given.ledgers, worker.name));
  }
}
