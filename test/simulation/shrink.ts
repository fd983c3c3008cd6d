import { type SimulateOptions, simulate } from './simulate.ts';
import { FAULT_KINDS, type FaultKind } from './world/fault-plan.ts';

export interface Shrunk {
  readonly keep: readonly number[];
  readonly only: readonly FaultKind[];
  readonly max: number;
  readonly plays: number;
}

const MAX_RUNS = 6;

/** Takes away runs, kinds of faults and then faults, as long as the same invariant still breaks. */
export async function shrink(seed: number, invariant: string): Promise<Shrunk> {
  let plays = 0;
  const breaks = async (found: Omit<Shrunk, 'plays'>): Promise<boolean> => {
    plays += 1;
    const { violations } = await simulate(asOptions(seed, found));
    return violations[0]?.invariant === invariant;
  };
  let found = { keep: Array.from({ length: MAX_RUNS }, (_, index) => index), only: FAULT_KINDS, max: 1_000_000 };
  for (const run of found.keep) {
    const fewer = { ...found, keep: found.keep.filter((other) => other !== run) };
    if (fewer.keep.length > 0 && (await breaks(fewer))) found = fewer;
  }
  for (const kind of found.only) {
    const fewer = { ...found, only: found.only.filter((other) => other !== kind) };
    if (await breaks(fewer)) found = fewer;
  }
  let [low, high] = [0, (await simulate(asOptions(seed, found))).faultCount];
  while (low < high) {
    const max = Math.floor((low + high) / 2);
    if (await breaks({ ...found, max })) high = max;
    else low = max + 1;
  }
  return { ...found, max: high, plays };
}

export const asOptions = (
  seed: number,
  { keep, only, max }: Pick<Shrunk, 'keep' | 'only' | 'max'>,
): SimulateOptions => ({ seed, keep, limits: { only, max } });
