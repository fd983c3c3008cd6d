import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { METRIC_NAMESPACE, serviceOf } from '../../../functions/metric-place.ts';
import { judge } from '../../chaos/judge.ts';
import { readLedgers } from '../../chaos/ledger.ts';
import { type Acknowledged, readRecords } from '../../chaos/records.ts';
import { SeededRandom } from '../../helpers/seeded-random.ts';
import { real } from '../clock/movable-timer.ts';
import { E2eWorld } from '../e2e/e2e-world.ts';
import { metricKey } from '../metrics/emitted-metrics.ts';
import { bundleWorker } from './bundle-worker.ts';
import { StackFaults } from './stack-faults.ts';
import { startLoad } from './stack-load.ts';

export interface StackChaosOptions {
  /** SIGKILLs of functions' processes that were serving something. */
  readonly kills: number;
  /** SIGSTOPs of such processes, for longer than a lease. */
  readonly stops: number;
  readonly runs: number;
  readonly seed: number;
  readonly deadlineMs: number;
  readonly say: (line: string) => void;
}

const MAX_OPEN = 12;
const RELIEF_MS = 120_000;

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
    const faults = new StackFaults(bed, {
      kills: options.kills,
      stops: options.stops,
      random: new SeededRandom(options.seed, 'faults'),
      signal: deadline.signal,
      say: (line) => options.say(`${line}, ${acknowledged.length} runs started`),
    });
    const load = startLoad(
      client,
      new SeededRandom(options.seed, 'programs'),
      { runs: options.runs, maxOpen: MAX_OPEN, goesOn: () => !faults.areSpent, signal: deadline.signal },
      acknowledged,
    );
    await Promise.all([load, faults.run()]).catch((error: unknown) => {
      const done = `${faults.kills} of ${options.kills} kills, ${faults.stops} of ${options.stops} stops`;
      throw new Error(`Chaos did not come to its end after ${done}: ${String(error)}`, { cause: error });
    });
    const records = await readRecords(
      client,
      acknowledged.map(({ runId }) => runId),
    );
    const listed: string[] = [];
    for await (const { runId } of client.list()) listed.push(runId);
    const lines = readLedgers(join(world.scratch, 'ledgers'));
    const verdict = judge({ acknowledged, records, listed, lines });
    // A watchdog writes what it counted when it is relieved; what a killed one had counted is lost.
    await bed.pass(RELIEF_MS, 3_000);
    const { refusals } = bed.control;
    return {
      target: 'stack',
      seed: options.seed,
      kills: faults.kills,
      killed: faults.killed,
      stops: faults.stops,
      frozen: faults.frozen,
      leasesRecovered: bed.metrics.sum(metricKey(METRIC_NAMESPACE, 'leases_recovered', { service: serviceOf('dev') })),
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
