import type { SpeedFigures } from '../speed/measure-speed.ts';
import { rounded } from '../speed/statistics.ts';

interface Compared {
  readonly figure: string;
  readonly of: (figures: SpeedFigures) => number | undefined;
  readonly best: 'least' | 'most';
}

const COMPARED: readonly Compared[] = [
  { figure: 'w1.p50Ms', of: ({ w1 }) => w1?.p50Ms, best: 'least' },
  { figure: 'w1.p99Ms', of: ({ w1 }) => w1?.p99Ms, best: 'least' },
  { figure: 'w2.stepsPerS', of: ({ w2 }) => w2?.stepsPerS, best: 'most' },
  { figure: 'w3.p50Ms', of: ({ w3 }) => w3?.p50Ms, best: 'least' },
  { figure: 'w4.p50Ms', of: ({ w4 }) => w4?.p50Ms, best: 'least' },
  { figure: 'w5.resumedMs', of: ({ w5 }) => w5?.resumedMs, best: 'least' },
  { figure: 'w6.p50LateMs', of: ({ w6 }) => w6?.p50LateMs, best: 'least' },
];

/** Each of our figures over the best that any peer has. */
export function ratios(ours: SpeedFigures, peers: readonly SpeedFigures[]): Record<string, number> {
  const all: Record<string, number> = {};
  for (const { figure, of, best } of COMPARED) {
    const theirs = peers.map(of).filter((value) => value !== undefined);
    const mine = of(ours);
    if (mine === undefined || theirs.length === 0) continue;
    all[figure] = rounded(mine / (best === 'least' ? Math.min(...theirs) : Math.max(...theirs)));
  }
  return all;
}
