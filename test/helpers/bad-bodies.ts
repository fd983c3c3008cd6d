import { SHOP, UNKNOWN_ID } from './api-driver.ts';
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

const HUNDRED_AND_ONE = Array.from({ length: 101 }, (_, index) => `type-${index}`);

type BadField = ReturnType<typeof shown>[number];

const posts = (url: string, good: object, fields: readonly BadField[]): BadRequest[] =>
  fields.map(({ why, field, value }) => ({ why, method: 'POST', url, body: { ...good, [field]: value } }));

function badStarts(): BadRequest[] {
  const url = `${SHOP}/runs`;
  const good = { workflow_type: 'order' };
  const fields = [
    ...each('workflow_type', [...BAD_NAMES, ['too long', long(129)]]),
    ...each('task_queue', [...BAD_NAMES, ['too long', long(65)], ['with a dot', 'kagzi.control']]),
    ...each('external_id', BAD_TEXTS),
    ...each('version', [...BAD_NAMES, ['too long', long(33)]]),
    ...shown('start_at', BAD_INSTANTS),
    ...shown('delay_ms', BAD_LENGTHS),
    ...shown('retry_policy', BAD_POLICIES),
    ...shown('parent', [null, 'x', {}, { run_id: UNKNOWN_ID, step_id: 'a', lease: 'x' }]),
    ...shown('extra', [1]),
  ];
  return [
    ...posts(url, good, fields),
    { why: 'there is no body', method: 'POST', url },
    ...[null, [], 'order', 1].map((body) => ({
      why: `the body is ${JSON.stringify(body)}`,
      method: 'POST' as const,
      url,
      body,
    })),
    {
      why: 'start_at and delay_ms are both given',
      method: 'POST',
      url,
      body: { ...good, start_at: '2030-01-01T00:00:00Z', delay_ms: 1 },
    },
    ...['__proto__', 'constructor'].map((key) => ({
      why: `there is a field ${key}`,
      method: 'POST' as const,
      url,
      text: `{"workflow_type":"order","${key}":{"task_queue":"other"}}`,
    })),
    {
      why: 'the retry policy has a field __proto__',
      method: 'POST',
      url,
      text: '{"workflow_type":"order","retry_policy":{"__proto__":{"kind":"none"}}}',
    },
  ];
}

function badWorkers({ held, idleWorkerId }: ApiFixture): BadRequest[] {
  const url = `${SHOP}/workers`;
  const good = { workflow_types: ['order'] };
  const poll = `${SHOP}/task-queues/default/poll`;
  const beat = `${url}/${held.workerId}/heartbeat`;
  const registrations = [
    ...shown('workflow_types', [[], 'order', [1], ['a b'], HUNDRED_AND_ONE]),
    ...shown('max_concurrent', [0, -1, 10_001, 1.5, '5', null]),
    ...shown('pid', [-1, 1.5, 2 ** 32, '1']),
    ...each('hostname', BAD_TEXTS),
    ...shown('labels', [null, [], { a: 1 }, { 'a b': 'x' }, { '': 'x' }, { a: long(257) }]),
    ...shown('workflow_type_concurrency', [{ order: 0 }, { 'a b': 1 }, { order: '1' }]),
    ...shown('worker_id', [UNKNOWN_ID]),
  ];
  const polls = [
    ...shown('worker_id', [undefined, 'me', idleWorkerId.toUpperCase(), null]),
    ...shown('timeout_secs', [-1, 20.5, 'soon', null]),
    ...shown('workflow_types', [[], ['refund'], 'order']),
    ...shown('workflow_versions', [null, ['1'], { order: '1' }, { order: [] }, { order: ['#'] }, { 'a b': ['1'] }]),
  ];
  const beats = [
    ...shown('runs', [null, [{}], [{ run_id: held.runId }], [{ run_id: held.runId, lease: 'x' }], [held.runId]]),
    ...shown('runs', [[{ run_id: held.runId, lease: held.lease, inbox_read: -1 }]]),
    ...shown('active_count', [-1, 10_001, '1']),
    ...shown('completed_delta', [-1, 0.5, 1e9]),
  ];
  return [
    ...posts(url, good, registrations),
    ...posts(poll, { worker_id: idleWorkerId, timeout_secs: 0 }, polls),
    ...posts(beat, {}, beats),
    ...posts(`${url}/${held.workerId}/deregister`, {}, shown('drain', ['yes', 1, null])),
    ...posts('/admin/drain', {}, shown('drain', ['yes', 1, null])),
    {
      why: 'the worker is of another task queue',
      method: 'POST',
      url: `${SHOP}/task-queues/other/poll`,
      body: { worker_id: idleWorkerId, timeout_secs: 0 },
    },
    {
      why: 'a label is __proto__',
      method: 'POST',
      url,
      text: '{"workflow_types":["order"],"labels":{"__proto__":"x"}}',
    },
  ];
}

function badSteps({ held }: ApiFixture): BadRequest[] {
  const { lease, path, steps } = held;
  const stepIds = each('step_id', [...BAD_TEXTS, ['too long', long(201)]]);
  const error = { message: 'x' };
  const errors = shown('error', [
    undefined,
    null,
    'x',
    {},
    { message: 1 },
    { message: long(1_000_001) },
    { message: 'x', code: '' },
    { message: 'x', non_retryable: 'yes' },
    { message: 'x', retry_after_ms: -1 },
    { message: 'x', extra: 1 },
  ]).map((bad) => ({ ...bad, why: bad.why.slice(0, 60) }));
  const leases = shown('lease', [
    undefined,
    null,
    '',
    'x',
    `${lease}.`,
    ` ${lease}`,
    `${lease}\n`,
    lease.replaceAll('.', '#'),
    long(201),
  ]);
  return [
    ...posts(`${steps}/begin`, { step_id: 'new', lease }, [
      ...stepIds,
      ...shown('step_id', [undefined]),
      ...leases,
      ...shown('kind', ['SLEEPING', 1]),
      ...each('parent_step_id', BAD_TEXTS),
      ...shown('keep_lease', [1]),
      ...shown('retry_policy', BAD_POLICIES),
      ...shown('output', [1]),
      ...shown('position', BAD_COUNTS),
      ...shown('at_most_once', [1]),
      ...shown('wake_at', ['2030-01-01T00:00:00Z']),
      ...shown('duration_ms', [1_000]),
    ]),
    ...posts(`${steps}/begin`, { step_id: 'new', lease, kind: 'SLEEP' }, shown('wake_at', BAD_INSTANTS)),
    ...posts(
      `${steps}/begin`,
      { step_id: 'new', lease, kind: 'SLEEP' },
      shown('duration_ms', [-1, 1.5, '1s', null, 1e15]),
    ),
    ...posts(
      `${steps}/begin`,
      { step_id: 'new', lease, kind: 'SLEEP', wake_at: '2030-01-01T00:00:00Z' },
      shown('duration_ms', [1_000]),
    ),
    ...posts(`${steps}/complete`, { step_id: 'begun', lease }, [
      ...stepIds,
      ...leases,
      ...shown('input', [1]),
      ...shown('order', BAD_COUNTS),
    ]),
    ...posts(`${steps}/fail`, { step_id: 'begun', lease, error }, [
      ...stepIds,
      ...leases,
      ...errors,
      ...shown('order', BAD_COUNTS),
      ...shown('retry_policy', BAD_POLICIES),
    ]),
    ...posts(`${steps}/observe`, { step_id: 'begun', lease, order: 1 }, [
      ...stepIds,
      ...leases,
      ...shown('order', [...BAD_COUNTS, undefined]),
    ]),
    ...posts(`${path}/suspend`, { lease, until: '2030-01-01T00:00:00Z', status: 'SLEEPING', arrivals: 0 }, [
      ...leases,
      ...shown('until', [...BAD_INSTANTS, undefined]),
      ...shown('status', ['RUNNING', 1, undefined]),
      ...shown('arrivals', [...BAD_COUNTS, undefined]),
    ]),
    ...posts(`${path}/release`, { lease }, [...leases, ...shown('delay_ms', BAD_LENGTHS)]),
    ...posts(`${path}/inbox`, { lease }, [...leases, ...shown('count', [1])]),
    ...posts(`${path}/cancelled`, { lease }, [...leases, ...each('reason', BAD_TEXTS)]),
    ...posts(`${path}/complete`, { lease }, [...leases, ...shown('error', [error])]),
    ...posts(`${path}/fail`, { lease, error }, [...leases, ...errors, ...each('failed_step_id', BAD_TEXTS)]),
    ...posts(`${path}/sleep`, { lease, step_id: 's', duration_ms: 1 }, [
      ...leases,
      ...stepIds,
      ...shown('duration_ms', [...BAD_LENGTHS, undefined]),
      ...shown('until', ['2030-01-01T00:00:00Z']),
    ]),
    ...posts(`${path}/sleep`, { lease, step_id: 's' }, shown('until', BAD_INSTANTS)),
    ...posts(`${path}/cancel`, {}, [...each('reason', BAD_TEXTS), ...shown('lease', [lease])]),
  ];
}

export const badBodies = (fixture: ApiFixture): readonly BadRequest[] => [
  ...badStarts(),
  ...badWorkers(fixture),
  ...badSteps(fixture),
];
