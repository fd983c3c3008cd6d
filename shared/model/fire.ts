import { fireTimeText } from './schedule-spec.ts';

/** One run that a schedule starts, or would. */
export type Fire =
  | { readonly kind: 'cron' | 'backfill'; readonly at: number }
  /** By hand; `name` tells one from another. */
  | { readonly kind: 'trigger'; readonly at: number; readonly name: string };

/** What tells it from every other fire of its schedule: a time is fired once, whatever for. */
export const fireText = (fire: Fire): string =>
  fire.kind === 'trigger' ? `trigger:${fire.name}` : fireTimeText(fire.at);

const MARKS = { cron: 'c', backfill: 'b', trigger: 't' } as const;

export const encodeFire = (fire: Fire): string =>
  `${MARKS[fire.kind]}${fire.at}${fire.kind === 'trigger' ? `:${fire.name}` : ''}`;

/** Null for anything that was not encoded here. */
export function decodeFire(text: string): Fire | null {
  const [, mark, time, name] = /^([cbt])(\d{1,13})(?::(.+))?$/.exec(text) ?? [];
  const at = Number(time);
  if (mark === 't') return name === undefined ? null : { kind: 'trigger', at, name };
  return mark === undefined || name !== undefined ? null : { kind: mark === 'c' ? 'cron' : 'backfill', at };
}
