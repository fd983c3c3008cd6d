import type { FireTimes } from './schedule-spec.ts';

/** A fire that comes by then is in time: neither a limit of what is caught up nor a window applies to it. */
export const IN_TIME_MS = 120_000;
/** Counting what is skipped ends here. */
const COUNTED_AT_MOST = 100_000;

export interface SkippedFires {
  readonly count: number;
  /** There were more than were counted. */
  readonly capped: boolean;
  readonly from: number;
  readonly to: number;
}

export interface DueFires {
  readonly kept: readonly number[];
  readonly skipped: SkippedFires | null;
}

interface FireRange {
  readonly cursor: number;
  readonly until: number;
}

/**
 * Of the fires after `cursor` up to `until`: the newest `maxCatchup` of those within the window, or those that are in
 * time if they are more. The others are skipped.
 */
export function dueFires(
  times: FireTimes,
  range: FireRange,
  bounds: {
    readonly maxCatchup: number;
    readonly windowMs: number;
    /** With its jitter. */
    readonly comesAt: (fireAt: number) => number;
  },
): DueFires {
  const { cursor, until } = range;
  const inTime = firesInTime(times, range, bounds.comesAt);
  const oldest = Math.max(cursor, until - bounds.windowMs - 1);
  const caughtUp = newest(times, oldest, until, bounds.maxCatchup);
  const kept = caughtUp.length > inTime.length ? caughtUp : inTime;
  const before = kept[0] ?? until + 1;
  return { kept, skipped: count(times, cursor, before) };
}

/** What counts is when a fire was to come: that may be long after its time, but before the next one's. */
function firesInTime(times: FireTimes, { cursor, until }: FireRange, comesAt: (fireAt: number) => number) {
  const since = until - IN_TIME_MS;
  const found = between(times, Math.max(cursor, since - 1), until);
  const [before] = newest(times, cursor, (found[0] ?? until + 1) - 1, 1);
  return before !== undefined && comesAt(before) >= since ? [before, ...found] : found;
}

/** All after `after`, up to `until`. */
export function between(times: FireTimes, after: number, until: number, limit = Number.POSITIVE_INFINITY): number[] {
  const found: number[] = [];
  for (let at = times.next(after); at !== null && at <= until && found.length < limit; at = times.next(at)) {
    found.push(at);
  }
  return found;
}

/** Looks back twice as far each time, so that a long pause does not cost a walk through all of it. */
function newest(times: FireTimes, after: number, until: number, wanted: number): readonly number[] {
  if (wanted === 0) return [];
  for (let back = 60_000; ; back *= 2) {
    const from = Math.max(after, until - back);
    const found = between(times, from, until);
    if (found.length >= wanted || from === after) return found.slice(-wanted);
  }
}

function count(times: FireTimes, after: number, before: number): SkippedFires | null {
  const from = times.next(after);
  if (from === null || from >= before) return null;
  let [count, to] = [0, from];
  let at: number | null = from;
  for (; at !== null && at < before && count < COUNTED_AT_MOST; at = times.next(at)) {
    count += 1;
    to = at;
  }
  const capped = at !== null && at < before;
  return { count, capped, from, to: capped ? before - 1000 : to };
}
