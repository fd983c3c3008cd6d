import { SHOP } from './api-driver.ts';
import type { ApiFixture } from './api-fixture.ts';
import type { BadRequest } from './bad-values.ts';

/** Paths and queries that must be refused. */
export function badUrls({ held, ended, deadLetterId }: ApiFixture): BadRequest[] {
  const get = (why: string, url: string) => ({ why, method: 'GET' as const, url });
  const names = ['Shop', '-shop', 'a b', 'a#b', 'a%b', 'a/b', 'é', '__proto__', 'a\0', 'shop\n', 'x'.repeat(64)];
  const ids = [
    'x',
    held.runId.toUpperCase(),
    `${held.runId}#`,
    `${held.runId}\n`,
    'head',
    '../other',
    '%2e%2e',
    '__proto__',
  ];
  const lists = [
    `${SHOP}/runs`,
    `${SHOP}/workers`,
    `${held.path}/steps`,
    `${SHOP}/task-queues`,
    `${SHOP}/dead-letters`,
    '/v1/namespaces',
  ];
  const filters = [
    'status=DONE',
    'class=open',
    'workflow_type=a b',
    'task_queue=kagzi.control',
    'created_after=today',
    'created_before=2026-02-30T00:00:00Z',
    'external_id=',
    'include_total_count=yes',
    'extra=1',
    '__proto__=1',
    'constructor=1',
    'status=FAILED&status=FAILED',
  ];
  return [
    ...names.map((name) => get(`the namespace is ${JSON.stringify(name)}`, `/v1/${encodeURIComponent(name)}/runs`)),
    ...ids.flatMap((id) => [
      get(`the run id is ${JSON.stringify(id)}`, `${SHOP}/runs/${encodeURIComponent(id)}`),
      get(`the worker id is ${JSON.stringify(id)}`, `${SHOP}/workers/${encodeURIComponent(id)}`),
      {
        why: `the run id is ${JSON.stringify(id)}`,
        method: 'DELETE' as const,
        url: `${SHOP}/runs/${encodeURIComponent(id)}`,
      },
    ]),
    ...['a#b', 'a/b', 'a.b', 'x'.repeat(101)].map((id) => ({
      why: 'the dead letter id is odd',
      method: 'POST' as const,
      url: `${SHOP}/dead-letters/${encodeURIComponent(id)}/redrive`,
    })),
    { why: 'the call takes no query', method: 'POST', url: `${SHOP}/dead-letters/${deadLetterId}/redrive?force=1` },
    { why: 'the call takes no query', method: 'DELETE', url: `${ended.path}?force=1` },
    ...['', 'a\nb', 'a\0', 'x'.repeat(201)].map((id) => get(`the step id is ${JSON.stringify(id)}`, held.step(id))),
    get('no step is named', `${held.path}/step`),
    ...lists.flatMap((list) => [
      ...['0', '101', '-1', 'abc', '', '1.5', '1e1', '١', '9'.repeat(30)].map((size) =>
        get(`page_size is "${size}"`, `${list}?page_size=${size}`),
      ),
      ...['', 'forged', '%00', 'x'.repeat(4097)].map((token) =>
        get('the page token is forged', `${list}?page_token=${token}`),
      ),
    ]),
    ...filters.map((filter) => get(filter, `${SHOP}/runs?${filter}`)),
    ...['21', '-1', '1e1', 'soon', '5m', '', '0x5'].map((wait) =>
      get(`wait is "${wait}"`, `${held.path}?wait=${wait}`),
    ),
    ...['yes', '1', ''].map((flag) => get(`payloads is "${flag}"`, `${held.path}/steps?payloads=${flag}`)),
    get('the call takes no query', `${SHOP}/workflow-types?x=1`),
    get('include is unknown', `${held.path}?include=steps`),
    get('the run id is odd', `${SHOP}/runs/x/export`),
    get('the page token is forged', `${ended.path}/export?page_token=forged`),
    ...['/health', '/ready', '/info', '/metrics', '/metrics/history', '/openapi.json'].map((path) =>
      get('the call takes no query', `${path}?x=1`),
    ),
  ];
}
