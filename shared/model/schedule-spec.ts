import { type CronFields, parseCron } from './cron-expression.ts';
import { nextCronFire } from './cron-fires.ts';
import { MAX_DURATION_MS } from './duration.ts';
import { shardOf } from './ids.ts';
import { TimeZone } from './time-zone.ts';

/** When a schedule fires. Fire times are whole seconds. */
export interface ScheduleSpec {
  readonly cron: readonly string[];
  /** Counted from 1970 on, so that they do not depend on when the schedule was made. */
  readonly intervals: readonly { readonly everyMs: number; readonly offsetMs: number }[];
  readonly timeZone: string;
  /** Inclusive, both. */
  readonly startAt: number | null;
  readonly endAt: number | null;
  /** A fire comes up to this much after its time, but before the next one's. */
  readonly jitterMs: number;
}

export const MAX_EXPRESSIONS = 20;
const MIN_INTERVAL_MS = 1000;

/** The times at which a schedule fires. */
export interface FireTimes {
  /** The first one after this instant; null if there is none any more. */
  next(after: number): number | null;
}

const COMPILED = new Map<string, FireTimes>();
const MAX_COMPILED = 1_000;

export function fireTimes(spec: ScheduleSpec): FireTimes {
  const key = JSON.stringify(spec);
  const known = COMPILED.get(key);
  if (known !== undefined) return known;
  const compiled = compile(spec);
  if (COMPILED.size >= MAX_COMPILED) COMPILED.clear();
  COMPILED.set(key, compiled);
  return compiled;
}

function compile(spec: ScheduleSpec): FireTimes {
  const zone = TimeZone.of(spec.timeZone);
  const crons = spec.cron.map((text) => remembering((after) => nextCronFire(parsed(text), zone, after)));
  const intervals = spec.intervals.map(({ everyMs, offsetMs }) => {
    return (after: number) => Math.floor((after - offsetMs) / everyMs + 1) * everyMs + offsetMs;
  });
  const sources = [...crons, ...intervals];
  return {
    next(after) {
      const from = spec.startAt === null ? after : Math.max(after, spec.startAt - 1);
      let first: number | null = null;
      for (const source of sources) {
        const at = source(from);
        if (at !== null && (first === null || at < first)) first = at;
      }
      return first !== null && spec.endAt !== null && first > spec.endAt ? null : first;
    },
  };
}

const PARSED = new Map<string, CronFields>();
function parsed(text: string): CronFields {
  const fields = PARSED.get(text) ?? parseCron(text);
  if (PARSED.size >= MAX_COMPILED) PARSED.clear();
  PARSED.set(text, fields);
  return fields;
}

/** One of several expressions is asked for the same fire over and over while another is passed. */
function remembering(next: (after: number) => number | null): (after: number) => number | null {
  let asked = Number.POSITIVE_INFINITY;
  let answered: number | null = null;
  return (after) => {
    if (after >= asked && answered !== null && after < answered) return answered;
    asked = after;
    answered = next(after);
    return answered;
  };
}

/** What is wrong with a spec, for people; null if nothing is. */
export function specProblem(spec: ScheduleSpec, now: number): string | null {
  const { cron, intervals, startAt, endAt } = spec;
  if (cron.length + intervals.length === 0) return 'it needs a cron expression or an interval';
  if (cron.length > MAX_EXPRESSIONS || intervals.length > MAX_EXPRESSIONS) {
    return `it has more than ${MAX_EXPRESSIONS} expressions or intervals`;
  }
  if (startAt !== null && endAt !== null && endAt < startAt) return 'it ends before it starts';
  const interval = intervals.map(intervalProblem).find((problem) => problem !== null);
  if (interval !== undefined) return interval;
  if (!(Number.isInteger(spec.jitterMs) && spec.jitterMs >= 0 && spec.jitterMs <= MAX_DURATION_MS)) {
    return 'its jitter is no length of time';
  }
  try {
    const zone = TimeZone.of(spec.timeZone);
    const never = cron.find((text) => nextCronFire(parseCron(text), zone, now) === null);
    if (never !== undefined) return `${JSON.stringify(never)} never fires: there is no such date`;
    return fireTimes(spec).next((startAt ?? 0) - 1) === null ? 'it has no fire between its start and its end' : null;
  } catch (error) {
    if (error instanceof RangeError) return error.message;
    throw error;
  }
}

function intervalProblem({ everyMs, offsetMs }: ScheduleSpec['intervals'][number]): string | null {
  const isWhole = Number.isInteger(everyMs / 1000) && Number.isInteger(offsetMs / 1000);
  if (!isWhole || everyMs < MIN_INTERVAL_MS || everyMs > MAX_DURATION_MS) {
    return 'an interval is a whole number of seconds, at least one';
  }
  return offsetMs >= 0 && offsetMs < everyMs ? null : 'the offset of an interval lies between 0 and its length';
}

/** When the fire of this time comes: the same whoever computes it, and never after the next one's time. */
export function jitteredTime(spec: ScheduleSpec, name: string, fireAt: number): number {
  if (spec.jitterMs === 0) return fireAt;
  const next = fireTimes(spec).next(fireAt);
  const room = next === null ? spec.jitterMs : Math.min(spec.jitterMs, next - fireAt - 1);
  return fireAt + shardOf(`${name}#${fireAt}`, room + 1);
}

/** As in external ids: RFC 3339, to the second. */
export const fireTimeText = (fireAt: number): string => `${new Date(fireAt).toISOString().slice(0, 19)}Z`;
