import { describe, expect, it } from 'vitest';
import { replay } from '../../sdk/testing/index.ts';
import { MemoryBlobs } from '../../sdk/testing/memory-blobs.ts';
import { startEmbeddedWorker } from '../../sdk/worker/embedded-worker.ts';
import { Registry } from '../../sdk/worker/registry.ts';
import { isEnded } from '../../shared/model/run.ts';
import type { Table } from '../../shared/ports/table.ts';
import { createEngine, type EngineParts } from '../../shared/store/engine.ts';
import { listSteps } from '../../shared/usecases/list-steps.ts';
import { cutOff } from '../helpers/cut-off.ts';
import { exportedRun } from '../helpers/exported-run.ts';
import { SeededRandom } from '../helpers/seeded-random.ts';
import { testEngine } from '../helpers/test-engine.ts';
import { WorkflowDriver } from '../helpers/workflow-driver.ts';
import { type Node, programWorkflows, randomProgram, type Stage } from './random-program.ts';

/** More of them by hand, after a change to the replay. */
const SEEDS = Number(process.env['KAGZI_OWNER_SEEDS'] ?? 24);
const TURNS = 1_500;
const MOST_OWNERS = 6;
const LEASE_MS = 3_000;

/** One execution of the code: what it saw, and how much of that it had seen when another owner took the run. */
interface Execution {
  readonly seen: string[];
  sealed: number | null;
}

/** Writes that come late though their process lives, so that they overtake each other. */
class SlowWrites {
  readonly #waiting: { turns: number; readonly go: () => void }[] = [];

  constructor(private readonly random: SeededRandom) {}

  over(given: Table, onClaim: () => void): Table {
    return new Proxy(given, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== 'function') return value;
        return async (...args: unknown[]) => {
          if (name === 'put' && this.random.chance(0.3)) await this.#wait();
          const answer = (await (value as (...given: unknown[]) => unknown).apply(target, args)) as { ok?: boolean };
          const changes = args[1] as { readonly add?: { readonly ep?: number } } | undefined;
          if (name === 'update' && answer.ok === true && changes?.add?.ep === 1) onClaim();
          return answer;
        };
      },
    });
  }

  turn(): void {
    for (const one of this.#waiting.splice(0)) {
      one.turns -= 1;
      if (one.turns <= 0) one.go();
      else this.#waiting.push(one);
    }
  }

  #wait(): Promise<void> {
    return new Promise((go) => this.#waiting.push({ turns: this.random.between(1, 4), go }));
  }
}

/** Runs a program while its workers are cut off and come back, and answers what became of it. */
async function runThroughOwners(seed: number, program: Node) {
  const random = new SeededRandom(seed, 'owners');
  let parts: EngineParts | undefined;
  const test = await testEngine({
    config: { leaseMs: LEASE_MS, heartbeatMs: 1_000 },
    wrap: (given) => (parts = { ...given, blobs: new MemoryBlobs(given.clock) }),
  });
  const executions: Execution[] = [];
  const slow = new SlowWrites(random);
  const seal = (): void => {
    for (const execution of executions) execution.sealed ??= execution.seen.length;
  };
  const stage: Stage = {
    begins() {
      const execution: Execution = { seen: [], sealed: null };
      executions.push(execution);
      return { saw: (what) => execution.seen.push(what) };
    },
    works: (ms) => (ms === 0 ? Promise.resolve() : test.clock.sleep(ms)),
  };
  const workflows = programWorkflows(program, stage);
  const serve = () => {
    if (parts === undefined) throw new Error('no parts');
    const table = cutOff(slow.over(parts.table, seal));
    const queue = cutOff(parts.queue);
    const engine = createEngine({ ...parts, table: table.port, queue: queue.port });
    const registry = new Registry(workflows);
    const log = (): void => undefined;
    startEmbeddedWorker({ engine, registry, namespace: 'shop', taskQueue: 'default', maxConcurrent: 10, log });
    return {
      cut() {
        table.cut();
        queue.cut();
      },
      heal() {
        table.heal();
        queue.heal();
      },
    };
  };
  try {
    const driver = new WorkflowDriver(test);
    const run = await driver.start(workflows[0], undefined);
    const lost: ReturnType<typeof serve>[] = [];
    let owner = serve();
    let owners = 1;
    let details = await driver.get(run);
    for (let turn = 0; turn < TURNS && !isEnded(details.run); turn++) {
      // Real time, for what is no step.
      await new Promise((resolve) => setTimeout(resolve, 1));
      slow.turn();
      if (lost.length > 0 && random.chance(0.1)) lost.shift()?.heal();
      if (owners < MOST_OWNERS && random.chance(0.08)) {
        owner.cut();
        lost.push(owner);
        owner = serve();
        owners += 1;
      }
      await test.passes(1_000);
      details = await driver.get(run);
    }
    const { steps } = await listSteps(test.engine, { ...run, pageSize: 100 });
    return { details, executions, history: exportedRun(details, steps), workflow: workflows[0] };
  } finally {
    await test.close();
  }
}

describe('a workflow whose owners change at any point, and write when they have lost it', () => {
  it.each(Array.from({ length: SEEDS }, (_, index) => 1_000 + index))(
    'ends, and has gone one way in every execution (seed %i)',
    { timeout: 60_000 },
    async (seed) => {
      const program = randomProgram(new SeededRandom(seed, 'program'));
      const { details, executions, history, workflow } = await runThroughOwners(seed, program);
      expect(details.error).toBeNull();
      expect(details.run.status).toBe('COMPLETED');
      for (const [index, earlier] of executions.entries()) {
        const bound = earlier.seen.slice(0, earlier.sealed ?? undefined);
        for (const { seen } of executions.slice(index + 1)) {
          const both = Math.min(bound.length, seen.length);
          expect(seen.slice(0, both)).toEqual(bound.slice(0, both));
        }
      }
      expect(await replay(history, workflow)).toMatchObject({ ended: 'completed' });
    },
  );
});
