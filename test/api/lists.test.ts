import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { pageToken } from '../../shared/usecases/page-token.ts';
import { ApiClient } from '../helpers/api-client.ts';
import { bury, errorOf, hold, register, SHOP, start } from '../helpers/api-driver.ts';
import { type TestEngine, testEngine } from '../helpers/test-engine.ts';

let test: TestEngine;
let api: ApiClient;
beforeEach(async () => {
  test = await testEngine();
  api = new ApiClient(test);
});
afterEach(() => test.close());

type Page = Readonly<Record<string, unknown>> & { readonly next_page_token: string | null };

/** Every element of a list, page by page. */
async function walk(url: string, name: string, pageSize: number): Promise<Readonly<Record<string, unknown>>[]> {
  const all: Readonly<Record<string, unknown>>[] = [];
  let token: string | null = null;
  do {
    const joint = url.includes('?') ? '&' : '?';
    const next: string = token === null ? '' : `&page_token=${token}`;
    const answer = await api.get(`${url}${joint}page_size=${pageSize}${next}`);
    expect(answer.status).toBe(200);
    const page = answer.body as Page;
    const found = page[name] as readonly Readonly<Record<string, unknown>>[];
    expect(found.length).toBeLessThanOrEqual(pageSize);
    all.push(...found);
    token = page.next_page_token;
  } while (token !== null);
  return all;
}

describe('pages of any size give every element once', () => {
  const sizes = [1, 2, 3, 100];

  it.each(sizes)('%i runs at a time, newest first', async (size) => {
    const ids: string[] = [];
    for (let i = 0; i < 5; i++) {
      ids.push(await start(api, i % 2 === 0 ? {} : { workflow_type: 'refund' }));
      await test.clock.advance(1_000);
    }
    const runs = await walk(`${SHOP}/runs`, 'runs', size);
    expect(runs.map((run) => run['run_id'])).toEqual([...ids].reverse());
    const refunds = await walk(`${SHOP}/runs?workflow_type=refund`, 'runs', size);
    expect(refunds.map((run) => run['run_id'])).toEqual([ids[3], ids[1]]);
  });

  it.each(sizes)('%i steps at a time, in their order', async (size) => {
    const { path, steps, lease } = await hold(api);
    const ids = ['b', 'a', 'd', 'c'];
    for (const id of ids) {
      await api.post(`${steps}/begin`, { step_id: id, lease });
      await test.clock.advance(1);
    }
    expect((await walk(`${path}/steps`, 'steps', size)).map((found) => found['step_id'])).toEqual(ids);
  });

  it.each(sizes)('%i workers, queues, namespaces and dead letters at a time', async (size) => {
    const ids = [await register(api), await register(api, { task_queue: 'q2' }), await register(api)];
    expect((await walk(`${SHOP}/workers`, 'workers', size)).map((worker) => worker['worker_id'])).toEqual(ids);
    expect(await walk(`${SHOP}/workers?task_queue=q2`, 'workers', size)).toHaveLength(1);
    expect((await walk(`${SHOP}/task-queues`, 'task_queues', size)).map((queue) => queue['name'])).toEqual([
      'default',
      'q2',
    ]);
    for (const namespace of ['alpha', 'beta']) await start(api, { task_queue: 'x' }, `/v1/${namespace}`);
    expect((await walk('/v1/namespaces', 'namespaces', size)).map((namespace) => namespace['name'])).toEqual([
      'alpha',
      'beta',
      'shop',
    ]);
    for (let i = 0; i < 3; i++) {
      await start(api);
      await bury(test, api);
    }
    expect(await walk(`${SHOP}/dead-letters`, 'dead_letters', size)).toHaveLength(3);
  });
});

describe('a page token', () => {
  it('is good for its own query only', async () => {
    for (let i = 0; i < 3; i++) await start(api);
    const { next_page_token: token } = (await api.get(`${SHOP}/runs?page_size=1`)).body as Page;
    expect((await api.get(`${SHOP}/runs?page_size=2&page_token=${token}`)).status).toBe(200);
    for (const url of [
      `${SHOP}/runs?status=PENDING&`,
      `${SHOP}/workers?`,
      `${SHOP}/dead-letters?`,
      '/v1/namespaces?',
    ]) {
      expect(errorOf(await api.get(`${url}page_token=${token}`)).code).toBe('INVALID_PAGE_TOKEN');
    }
  });

  it('that was changed is refused', async () => {
    for (let i = 0; i < 3; i++) await start(api);
    const { next_page_token: token } = (await api.get(`${SHOP}/runs?page_size=1`)).body as Page;
    const forged = [
      `x${token}`,
      String(token).slice(0, 10),
      Buffer.from('null').toString('base64url'),
      Buffer.from('{}').toString('base64url'),
      Buffer.from('["x"]').toString('base64url'),
      Buffer.from('["x","y"]').toString('base64url'),
      Buffer.from('['.repeat(2_000)).toString('base64url'),
      pageToken({ runs: { namespace: 'other' } }, '1800000000000'),
      pageToken({ runs: { namespace: 'shop' } }, ''),
      pageToken({ runs: { namespace: 'shop' } }, 'x'.repeat(1_025)),
    ];
    for (const bad of forged) {
      const answer = await api.get(`${SHOP}/runs?page_token=${bad}`);
      expect(errorOf(answer).code, bad).toBe('INVALID_PAGE_TOKEN');
    }
  });
});

/** Made by somebody who knows how tokens are made: the query is right, the place in the list is not. */
describe('a page token with a place of no list', () => {
  const CURSORS = [
    '\ud800',
    'é'.repeat(1_024),
    '\0',
    'zzz',
    '9'.repeat(1_024),
    '#',
    '0:packed',
    '-1:loose:',
    '0:loose:x',
  ];
  const LISTS = [
    ['/v1/namespaces', { namespaces: true }],
    [`${SHOP}/workers`, { workers: 'shop' }],
    [`${SHOP}/runs`, { runs: { namespace: 'shop' } }],
    [`${SHOP}/task-queues`, { taskQueues: 'shop' }],
    [`${SHOP}/dead-letters`, { deadLetters: 'shop' }],
  ] as const;

  it.each(LISTS)('is refused or finds nothing strange in %s', async (url, query) => {
    await hold(api);
    for (const cursor of CURSORS) {
      const answer = await api.get(`${url}?page_token=${pageToken(query, cursor)}`);
      expect([200, 400], JSON.stringify(cursor).slice(0, 20)).toContain(answer.status);
    }
    // Else the token was not of this query, and nothing was tried.
    expect((await api.get(`${url}?page_token=${pageToken(query, 'zzz')}`)).status).toBe(200);
  });

  it('is refused or finds nothing strange in the steps of a run', async () => {
    const { path, runId, steps, lease } = await hold(api);
    await api.post(`${steps}/begin`, { step_id: 'a', lease });
    const { item } = await test.engine.table.get({ pk: `shop#run#${runId}`, sk: 'head' });
    const query = { steps: runId, incarnation: item?.['inc'], generation: 0 };
    for (const cursor of [...CURSORS, '0:loose:step#', `0:loose:${'é'.repeat(400)}`, 'x:loose:', '1e3:loose:', ':']) {
      const answer = await api.get(`${path}/steps?page_token=${pageToken(query, cursor)}`);
      expect([200, 400], cursor.slice(0, 20)).toContain(answer.status);
    }
    expect((await api.get(`${path}/steps?page_token=${pageToken(query, '0:loose:')}`)).status).toBe(200);
  });
});

describe('times', () => {
  it('far ahead and long past are understood by the filters', async () => {
    const runId = await start(api);
    const found = async (filter: string) =>
      ((await api.get(`${SHOP}/runs?${filter}`)).body as { readonly runs: readonly unknown[] }).runs.length;
    for (const year of ['2286', '2290', '3000', '9999']) {
      expect(await found(`created_before=${year}-12-31T00:00:00Z`), year).toBe(1);
      expect(await found(`created_after=${year}-12-31T00:00:00Z`), year).toBe(0);
    }
    expect(await found('created_after=0000-01-01T00:00:00Z')).toBe(1);
    expect(await found('created_before=1969-12-31T23:59:59Z')).toBe(0);
    const { created_at: at } = (await api.get(`${SHOP}/runs/${runId}`)).body as { readonly created_at: string };
    expect([await found(`created_after=${at}`), await found(`created_before=${at}`)]).toEqual([1, 0]);
    const offset = encodeURIComponent('2027-01-15T09:00:00+01:00');
    expect([await found(`created_after=${offset}`), await found(`created_before=${offset}`)]).toEqual([1, 0]);
  });

  it('of a start lie at most a hundred years ahead, and are not due before all others', async () => {
    const runId = await start(api, { start_at: '2290-01-01T00:00:00Z' });
    const { available_at: at } = (await api.get(`${SHOP}/runs/${runId}`)).body as { readonly available_at: string };
    expect(at.slice(0, 4)).toBe('2127');
    const { rows } = await test.engine.table.queryIndex({ index: 'due', hash: 'due#0', to: String(test.clock.now()) });
    expect(rows).toEqual([]);
  });
});
