import { parseCron } from '../../shared/model/cron-expression.ts';
import { nextCronFire } from '../../shared/model/cron-fires.ts';
import { TimeZone } from '../../shared/model/time-zone.ts';
import { SeededRandom } from '../helpers/seeded-random.ts';
import { type RandomCron, randomCron } from './random-cron.ts';
import { changes, type Tick, ticks } from './scanned-zone.ts';

export interface Comparison {
  readonly zone: string;
  readonly expressions: number;
  readonly changes: number;
  readonly fires: number;
  /** Where the two differ, for people. */
  readonly differences: readonly string[];
}

/** The rules in one line, by the wall clock of each tick. */
const fires = ({ everyHour, fits }: RandomCron, { wall, isRepeated, skipped }: Tick): boolean =>
  everyHour ? fits(wall) : (!isRepeated && fits(wall)) || skipped.some(fits);

const HOUR_MS = 3_600_000;

/** Fire times of random expressions against a scan: by minutes over the whole range, by seconds around each change of clocks. */
export function compareZone(
  zone: string,
  range: { readonly from: number; readonly to: number; readonly expressions: number; readonly seed: number },
): Comparison {
  const { from, to, expressions, seed } = range;
  const random = new SeededRandom(seed);
  const coarse = Array.from({ length: expressions }, () => randomCron(random, false));
  const fine = Array.from({ length: expressions }, () => randomCron(random, true));
  const moments = changes(zone, from, to);
  const found = [
    compare(zone, coarse, { from, to, stepMs: 60_000 }),
    ...moments.map((at) => compare(zone, fine, { from: at - HOUR_MS, to: at + 2 * HOUR_MS, stepMs: 1_000 })),
  ];
  return {
    zone,
    expressions: 2 * expressions,
    changes: moments.length,
    fires: found.reduce((sum, one) => sum + one.fires, 0),
    differences: found.flatMap((one) => one.differences),
  };
}

function compare(
  zone: string,
  crons: readonly RandomCron[],
  { from, to, stepMs }: { from: number; to: number; stepMs: number },
): { readonly fires: number; readonly differences: readonly string[] } {
  const rules = TimeZone.of(zone);
  const differences: string[] = [];
  let count = 0;
  const walkers = crons.map((cron) => {
    const fields = parseCron(cron.text);
    return { cron, fields, next: nextCronFire(fields, rules, from - 1) };
  });
  for (const tick of ticks(zone, from, to, stepMs)) {
    for (const walker of walkers) {
      const expected = fires(walker.cron, tick);
      const computed = walker.next === tick.at;
      if (expected) count += 1;
      if (expected !== computed && differences.length < 5) {
        const when = new Date(tick.at).toISOString();
        differences.push(`${walker.cron.text} in ${zone} at ${when}: scanned ${expected}, computed ${computed}`);
      }
      if (walker.next !== null && walker.next <= tick.at) {
        walker.next = nextCronFire(walker.fields, rules, walker.next);
      }
    }
  }
  return { fires: count, differences };
}
