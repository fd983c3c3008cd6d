import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { judge } from '../../chaos/judge.ts';
import { readLedgers } from '../../chaos/ledger.ts';
import { type Acknowledged, readRecords } from '../../chaos/records.ts';
import { SeededRandom } from '../../helpers/seeded-random.ts';
import { real } from '../clock/movable-timer.ts';
import { E2eWorld } from '../e2e/e2e-world.ts';
import { bundleWorker } from './bundle-worker.ts';
import { startLoad } from './stack-load.ts';

export interface StackChaosOptions {
  /** SIGKILLs of functions' processes that were serving something. */
  readonly kills: number;
  readonly runs: number;
  readonly seed: number;
  readonly deadlineMs: number;
  readonly say: (line: string) => void;
}

const MAX_OPEN = 12;
const BETWEEN_MS = [300, 1_200] as const;
/** Whose processes are killed; a worker's more often than others. */
const VICTIMS = ['worker-examples', 'worker-examples', 'worker-examples', 'watchdog', 'api', 'wake'] as const;

/** What chaos does to the embedded server, done to the stack on its test bed: by the real clock, with the roles enforced. */
export async function stackChaos(options: StackChaosOptions) {
  const startedAt = real.monotonic();
  const world = await E2eWorld.open({
    concurrency: 3,
    code: async (scratch) => {
      mkdirSync(join(scratch, 'ledgers'), { recursive: true });
      return { 'kagzi-dev-worker-examples': await bundleWorker(join(scratch, 'worker'), join(scratch, 'ledgers')) };
    },
  });
  const deadline = new AbortController();
  const timer = real.setTimeout(() => deadline.abort(new Error('the deadline has passed')), options.deadlineMs);
  try {
    const { bed } = world;
    const client = world.client();
    const acknowledged: Acknowledged[] = [];
    const random = new SeededRandom(options.seed, 'kills');
    const killed: Record<string, number> = {};
    let kills = 0;
    let isOver = false;
    const hurt = async (): Promise<void> => {
      while (kills < options.kills && !isOver) {
        await new Promise((resolve) => real.setTimeout(resolve, random.between(...BETWEEN_MS)));
        const victim = random.pick(VICTIMS);
        const died = await bed.function(victim).kill('busy');
        kills += died;
        killed[victim] = (killed[victim] ?? 0) + died;
        if (died > 0) options.say(`${kills} of ${options.kills} kills, ${acknowledged.length} runs started`);
      }
    };
    const load = startLoad(
      client,
      new SeededRandom(options.seed, 'programs'),
      { runs: options.runs, maxOpen: MAX_OPEN, signal: deadline.signal },
      acknowledged,
    ).finally(() => {
      isOver = true;
    });
    await Promise.all([load, hurt()]);
    const records = await readRecords(
      client,
      acknowledged.map(({ runId }) => runId),
    );
    const listed: string[] = [];
    for await (const { runId } of client.list()) listed.push(runId);
    const lines = readLedgers(join(world.scratch, 'ledgers'));
    const verdict = judge({ acknowledged, records, listed, lines });
    const { refusals } = bed.control;
    return {
      target: 'stack',
      seed: options.seed,
      kills,
      killed,
      runs: acknowledged.length,
      children: verdict.runs - acknowledged.length,
      steps: verdict.steps,
      lost: new Set(verdict.lost.map(({ runId }) => runId)).size,
      doubled: verdict.doubled.length,
      reexecuted: verdict.reexecuted,
      refused: refusals.length,
      seconds: Math.round((real.monotonic() - startedAt) / 1000),
      problems: [
        ...verdict.lost.map(({ runId, what }) => `lost: ${runId} ${what}`),
        ...verdict.doubled.map(({ runId, what }) => `doubled: ${runId} ${what}`),
        ...verdict.keys.map(({ runId, what }) => `key: ${runId} ${what}`),
        ...refusals.map(({ role, action, resource }) => `${role} may not ${action} on ${resource}`),
      ],
    };
  } finally {
    real.clearTimeout(timer);
    await world.close();
  }
}
