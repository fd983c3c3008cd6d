import { setTimeout as delay } from 'node:timers/promises';
import { type Client, createClient, defineWorkflow } from '../../sdk/index.ts';
import type { SeededRandom } from '../helpers/seeded-random.ts';
import { QUEUES, randomProgram } from './program.ts';
import { type ProgramInput, RETRY, WORKFLOW_TYPE } from './program-workflow.ts';
import type { Acknowledged } from './records.ts';

interface LoadParts {
  /** Of the proxy: starts are cut off too. */
  readonly url: string;
  /** Of the engine itself. */
  readonly engineUrl: () => string;
  readonly random: SeededRandom;
  readonly runs: number;
  readonly maxOpen: number;
  readonly signal: AbortSignal;
}

const AT_ONCE = 4;
const LOOK_MS = 100;
/** So often a start is sent again under the same external id, although it was acknowledged. */
const AGAIN = 0.1;

/** What the workers serve, as a caller knows it. */
const ELSEWHERE = defineWorkflow({ type: WORKFLOW_TYPE, retry: RETRY }, (_ctx, _input: ProgramInput) =>
  Promise.reject(new Error('this process serves nothing')),
);

/** Starts runs and remembers those that were acknowledged. */
export class Load {
  readonly acknowledged: Acknowledged[] = [];
  /** Starts sent again that named another run than before. */
  readonly renamed: string[] = [];
  open = 0;
  #started = 0;
  readonly #client: Client;

  constructor(private readonly parts: LoadParts) {
    this.#client = createClient({ url: parts.url, timeout: '5s' });
  }

  /** From 0 to 1. */
  get progress(): number {
    return Math.min(1, this.acknowledged.length / this.parts.runs);
  }

  /** Until there were as many as asked for, and for as long as it is wanted. */
  async run(isWanted: () => boolean): Promise<void> {
    const starter = async (): Promise<void> => {
      while (this.#started < this.parts.runs || isWanted()) {
        if (this.open >= this.parts.maxOpen) await this.#pause();
        else await this.#startOne();
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, starter));
  }

  /** How many runs have not ended; keeps the number it had while the engine is away. */
  async look(): Promise<number> {
    try {
      const url = `${this.parts.engineUrl()}/v1/default/runs?class=OPEN&page_size=1&include_total_count=true`;
      const response = await fetch(url, { signal: AbortSignal.timeout(2_000) });
      this.open = ((await response.json()) as { readonly total_count: number }).total_count;
    } catch {
      this.parts.signal.throwIfAborted();
    }
    return this.open;
  }

  async #startOne(): Promise<void> {
    const { random, signal } = this.parts;
    const externalId = `chaos-${++this.#started}`;
    const program = randomProgram(random);
    const taskQueue = random.pick(QUEUES);
    const again = random.chance(AGAIN);
    this.open += 1;
    const start = async (): Promise<string> => {
      for (;;) {
        try {
          return (await this.#client.start(ELSEWHERE, { program }, { externalId, taskQueue })).runId;
        } catch {
          signal.throwIfAborted();
          await this.#pause();
        }
      }
    };
    const runId = await start();
    this.acknowledged.push({ runId, program });
    if (again && (await start()) !== runId) this.renamed.push(externalId);
  }

  #pause(): Promise<void> {
    return delay(LOOK_MS, undefined, { signal: this.parts.signal });
  }
}
