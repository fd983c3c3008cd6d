import type { CronFields } from './cron-expression.ts';
import type { TimeZone } from './time-zone.ts';
import { nextWallTime } from './wall-time.ts';

/** No clock is ever changed by more. */
const FAR_MS = 26 * 3_600_000;

/**
 * The first instant after this one at which the expression fires in the zone; null if there is none.
 *
 * When clocks are changed, an expression for every hour goes by elapsed time: it makes up for nothing and leaves
 * nothing out. Any other means times of the day: one that is skipped fires at the first instant after the gap, once
 * however many fall into it; one that comes twice fires the first time.
 */
export function nextCronFire(fields: CronFields, zone: TimeZone, after: number): number | null {
  let from = Math.floor(after / 1000) * 1000 + 1000;
  for (;;) {
    const stretch = zone.stretchAt(from);
    const wall = from + stretch.offsetMs;
    const fit = nextWallTime(fields, fields.everyHour ? wall : Math.max(wall, stretch.repeatedUntil));
    if (fit === null) return null;
    const instant = fit - stretch.offsetMs;
    if (instant < stretch.to) return instant;
    if (instant - stretch.to > FAR_MS && stretch.to - from > FAR_MS) {
      // Nothing fits in between, so no change of clocks in between matters.
      from = instant - FAR_MS;
      continue;
    }
    const next = zone.stretchAt(stretch.to);
    if (!fields.everyHour && fit < stretch.to + next.offsetMs) return stretch.to;
    from = stretch.to;
  }
}
