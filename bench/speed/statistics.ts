const sorted = (samples: readonly number[]): number[] => [...samples].sort((a, b) => a - b);

/** The least sample that so large a part of all samples does not exceed. */
export function percentile(samples: readonly number[], part: number): number {
  if (samples.length === 0) throw new RangeError('no samples');
  const all = sorted(samples);
  return all[Math.min(all.length - 1, Math.max(0, Math.ceil(part * all.length) - 1))] as number;
}

export const median = (samples: readonly number[]): number => percentile(samples, 0.5);

/** Three significant digits are more than a machine repeats. */
export const rounded = (value: number): number => Number(value.toPrecision(3));
