import type { Query } from '../route.ts';

/** The filters of the list as they stand in the address of the page. */
export interface RunFilters {
  readonly search: string;
  readonly status: string;
  readonly type: string;
  readonly queue: string;
  readonly schedule: string;
  readonly since: string;
  readonly from: string;
  readonly to: string;
}

export const NAMES = ['search', 'status', 'type', 'queue', 'schedule', 'since', 'from', 'to'] as const;

export const filtersIn = (query: Query): RunFilters =>
  Object.fromEntries(NAMES.map((name) => [name, query[name] ?? ''])) as unknown as RunFilters;

export const hasFilters = (filters: RunFilters): boolean => NAMES.some((name) => filters[name] !== '');

/** What was looked for as an id of the engine's, if it looks like one. */
export const runIdIn = (text: string): string | null =>
  /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text) ? text.toLowerCase() : null;

export const SINCE: Readonly<Record<string, readonly [label: string, ms: number]>> = {
  '15m': ['Last 15 minutes', 900_000],
  '1h': ['Last hour', 3_600_000],
  '24h': ['Last 24 hours', 86_400_000],
  '7d': ['Last 7 days', 604_800_000],
};

const CLASSES = ['OPEN'];

/** As the API wants them. */
export function apiQuery(filters: RunFilters, now: number): Record<string, string | undefined> {
  const { search, status, type, queue, schedule, since, from, to } = filters;
  const length = SINCE[since]?.[1];
  return {
    external_id: search === '' ? undefined : search,
    class: CLASSES.includes(status) ? status : undefined,
    status: status === '' || CLASSES.includes(status) ? undefined : status,
    workflow_type: type === '' ? undefined : type,
    task_queue: queue === '' ? undefined : queue,
    schedule_id: schedule === '' ? undefined : schedule,
    created_after: length === undefined ? instantOf(from) : new Date(now - length).toISOString(),
    created_before: length === undefined ? instantOf(to) : undefined,
  };
}

/** From `2026-11-18T16:00` in the zone of the browser. */
function instantOf(local: string): string | undefined {
  const date = new Date(local);
  return local === '' || Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}
