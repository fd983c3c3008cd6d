import { SHOP } from './api-driver.ts';
import type { ApiFixture } from './api-fixture.ts';
import {
  BAD_COUNTS,
  BAD_INSTANTS,
  BAD_LENGTHS,
  BAD_NAMES,
  BAD_POLICIES,
  BAD_TEXTS,
  type BadRequest,
  each,
  long,
  shown,
} from './bad-values.ts';

const BAD_EXPRESSIONS = [
  '__proto__',
  'constructor',
  1,
  null,
  '',
  ' ',
  '* * * *',
  '* * * * * * *',
  '60 * * * *',
  '-1 * * * *',
  '*/0 * * * *',
  '5-1 * * * *',
  '1-2-3 * * * *',
  '1, * * * *',
  '/5 * * * *',
  '* * 0 * *',
  '* * 32 * *',
  '* * * 13 *',
  '* * * * 8',
  '* * * * MON#6',
  '* * * * #1',
  '* * L-3 * *',
  '* * 15W * *',
  'H * * * *',
  '? * * * *',
  '@every 5m',
  '0 0 31 4 *',
  '0 0 30 2 *',
  '١ * * * *',
  long(300),
  [['* * * * *']],
  Array.from({ length: 21 }, () => '@daily'),
];

/** Bodies, paths and queries of calls about schedules that must be refused. */
export function badSchedules({ scheduleId }: ApiFixture): BadRequest[] {
  const all = `${SHOP}/schedules`;
  const one = `${all}/${scheduleId}`;
  const asks = (
    method: BadRequest['method'],
    url: string,
    good: object,
    fields: ReturnType<typeof shown>,
  ): BadRequest[] => fields.map(({ why, field, value }) => ({ why, method, url, body: { ...good, [field]: value } }));
  const fields = [
    ...each('workflow_type', BAD_NAMES),
    ...each('task_queue', BAD_NAMES),
    ...each('version', BAD_NAMES),
    ...shown('cron_expr', BAD_EXPRESSIONS),
    ...shown('intervals', [
      1,
      null,
      [{}],
      [{ every_ms: 0 }],
      [{ every_ms: 1500 }],
      [{ every_ms: 1000, offset_ms: 1000 }],
    ]),
    ...shown('timezone', ['', 'Nowhere', '+02:00', 'a b', 1, null, '../etc', '__proto__']),
    ...shown('jitter_ms', BAD_LENGTHS),
    ...shown('max_catchup', [...BAD_COUNTS, 10_001]),
    ...shown('catchup_window_ms', BAD_LENGTHS),
    ...shown('overlap_policy', ['', 'SKIP', 'all', 1, null]),
    ...shown('enabled', ['true', 1, null]),
    ...shown('extra', [1]),
  ];
  const bounds = [...shown('start_at', BAD_INSTANTS.filter(Boolean)), ...shown('end_at', BAD_INSTANTS.filter(Boolean))];
  const good = { schedule_id: 'good', workflow_type: 'order', cron_expr: '@hourly' };
  const triggers = [...shown('overlap_policy', ['x', null]), ...each('request_id', BAD_TEXTS), ...shown('extra', [1])];
  const range = { from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z' };
  const ids = ['a b', 'a#b', 'a:b', '-a', '.a', 'é', '__proto__', 'a\n', long(101)];
  return [
    ...asks('POST', all, good, [...fields, ...bounds, ...each('schedule_id', BAD_NAMES), ...each('note', BAD_TEXTS)]),
    ...asks('POST', all, good, [...each('request_id', BAD_TEXTS), ...shown('retry_policy', BAD_POLICIES)]),
    ...asks('POST', `${all}/preview`, { cron_expr: '@hourly' }, [
      ...shown('cron_expr', BAD_EXPRESSIONS),
      ...shown('timezone', ['', 'Nowhere', 1, null]),
      ...shown('count', [...BAD_COUNTS, 0, 101]),
      ...shown('extra', [1]),
      ...bounds,
    ]),
    { why: 'there is no body', method: 'POST', url: all },
    ...asks('PATCH', one, {}, [...fields, ...bounds, ...shown('revision', BAD_COUNTS)]),
    { why: 'there is no body', method: 'PATCH', url: one },
    ...asks('POST', `${one}/pause`, {}, [...each('reason', BAD_TEXTS), ...shown('extra', [1])]),
    ...asks('POST', `${one}/trigger`, {}, triggers),
    ...asks('POST', `${one}/backfill`, range, [
      ...shown('from', [...BAD_INSTANTS, undefined]),
      ...shown('to', [...BAD_INSTANTS, undefined, '2025-01-01T00:00:00Z', '2100-01-01T00:00:00Z']),
      ...shown('overlap_policy', ['x', null]),
    ]),
    { why: 'the call takes no query', method: 'POST', url: `${one}/resume?now=1` },
    ...ids.flatMap((id) => {
      const url = `${all}/${encodeURIComponent(id)}`;
      const why = `the schedule id is ${JSON.stringify(id)}`;
      return [
        { why, method: 'GET' as const, url },
        { why, method: 'DELETE' as const, url },
        { why, method: 'GET' as const, url: `${url}/next` },
      ];
    }),
    ...['status=OPEN', 'task_queue=a b', 'page_size=0', 'page_token=forged', 'extra=1'].map((query) => ({
      why: query,
      method: 'GET' as const,
      url: `${all}?${query}`,
    })),
    ...['count=0', 'count=101', 'count=x', 'after=today', 'extra=1'].map((query) => ({
      why: query,
      method: 'GET' as const,
      url: `${one}/next?${query}`,
    })),
    ...['page_size=0', 'page_token=forged'].map((query) => ({
      why: query,
      method: 'GET' as const,
      url: `${one}/history?${query}`,
    })),
  ];
}
