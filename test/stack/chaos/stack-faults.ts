import type { SeededRandom } from '../../helpers/seeded-random.ts';
import { real } from '../clock/movable-timer.ts';
import type { StackBed } from '../stack-bed.ts';

interface FaultOptions {
  /** SIGKILLs of functions' processes that were serving something. */
  readonly kills: number;
  /** SIGSTOPs of such processes, for longer than a lease. */
  readonly stops: number;
  readonly random: SeededRandom;
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
}

const BETWEEN_MS = [300, 1_200] as const;
/** A lease of the stack's lasts 30 s. */
const FREEZE_MS = [32_000, 36_000] as const;
/** Whose processes are hurt; a worker's more often than others. The API's are not frozen: that is a slow answer. */
const KILLED = ['worker-examples', 'worker-examples', 'worker-examples', 'watchdog', 'api', 'wake'] as const;
const FROZEN = ['worker-examples', 'worker-examples', 'watchdog'] as const;

/** Kills and freezes processes of a stack until there were as many of both as were asked for. */
export class StackFaults {
  readonly killed: Record<string, number> = {};
  readonly frozen: Record<string, number> = {};

  constructor(
    private readonly bed: StackBed,
    private readonly options: FaultOptions,
  ) {}

  get kills(): number {
    return sum(this.killed);
  }

  get stops(): number {
    return sum(this.frozen);
  }

  get areSpent(): boolean {
    return this.kills >= this.options.kills && this.stops >= this.options.stops;
  }

  /** Until all is done, or the signal. */
  async run(): Promise<void> {
    await Promise.all([this.#kill(), this.#freeze()]);
  }

  async #kill(): Promise<void> {
    const { kills, random, signal, say } = this.options;
    while (this.kills < kills && !signal.aborted) {
      await pause(random.between(...BETWEEN_MS));
      const victim = random.pick(KILLED);
      if (!(await this.bed.function(victim).killOne())) continue;
      this.killed[victim] = (this.killed[victim] ?? 0) + 1;
      say(`${this.kills} of ${kills} kills`);
    }
  }

  /** One at a time, so that somebody is there to take over. */
  async #freeze(): Promise<void> {
    const { stops, random, signal, say } = this.options;
    while (this.stops < stops && !signal.aborted) {
      await pause(random.between(...BETWEEN_MS));
      const victim = random.pick(FROZEN);
      if (!(await this.bed.function(victim).freezeOne(random.between(...FREEZE_MS)))) continue;
      this.frozen[victim] = (this.frozen[victim] ?? 0) + 1;
      say(`${this.stops} of ${stops} stops`);
    }
  }
}

const sum = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((total, count) => total + count, 0);

const pause = (ms: number): Promise<void> => new Promise((resolve) => real.setTimeout(resolve, ms));
