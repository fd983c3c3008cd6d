import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PortError } from '../../shared/ports/port-error.ts';
import type { IndexRow, Item, Table, Units } from '../../shared/ports/table.ts';
import { DYNAMO_ENGINES, type EngineKind } from '../helpers/dynamo-engines.ts';
import { skipLoudly } from '../helpers/skip-loudly.ts';
import { openDynamoTable, openSqliteTable } from '../helpers/table-adapters.ts';
import type { Flaw } from './engine-flaws.ts';
import { ALL_KEYS, type Operation, operation } from './table-operations.ts';
import type { OpenedTable } from './table-under-test.ts';

const RUNS = Number(process.env['KAGZI_FUZZ_RUNS'] ?? 150);
const TIME_LIMIT_MS = RUNS > 150 ? RUNS * 200 : 18_000;

type Answer = { readonly units: Units } & Record<string, unknown>;

const byKey = (a: Item | IndexRow, b: Item | IndexRow): number =>
  JSON.stringify([a.pk, a.sk]) < JSON.stringify([b.pk, b.sk]) ? -1 : 1;

async function ask(table: Table, asked: Operation): Promise<Answer> {
  switch (asked.kind) {
    case 'get':
      return { ...(await table.get(asked.key, { consistent: asked.consistent })) };
    case 'put':
      return { ...(await table.put(asked.item, asked.condition)) };
    case 'update':
      return { ...(await table.update(asked.key, asked.changes, asked.condition)) };
    case 'delete':
      return { ...(await table.delete(asked.key, asked.condition)) };
    case 'check':
      return { ...(await table.transact([asked])) };
    case 'transact':
      return { ...(await table.transact(asked.writes)) };
    case 'query':
      return { ...(await table.query(asked.query)) };
    case 'queryIndex':
      return askIndex(table, asked.query);
    case 'batchGet': {
      const { items, units } = await table.batchGet(asked.keys, { consistent: asked.consistent });
      return { items: items.toSorted(byKey), units };
    }
    case 'batchWrite':
      return table.batchWrite({ put: asked.put, delete: asked.delete }).then((answer) => ({ ...answer }));
  }
}

/** Nobody promises an order among rows of one key, nor which of them a page ends with: all pages, and the order of keys. */
async function askIndex(table: Table, query: Extract<Operation, { kind: 'queryIndex' }>['query']): Promise<Answer> {
  const rows: IndexRow[] = [];
  const pages: number[] = [];
  let read = 0;
  let after: IndexRow | null = null;
  do {
    const page = await table.queryIndex({ ...query, ...(after && { after }) });
    rows.push(...page.rows);
    pages.push(page.rows.length);
    read += page.units.read;
    after = page.next;
  } while (after !== null);
  return {
    ranges: rows.map((row) => row.range),
    rows: rows.toSorted(byKey),
    pages,
    units: { write: 0, read },
  };
}

/** Whether the engine is known to get the units of this answer wrong. */
function excused(asked: Operation, expected: Answer, actual: Answer, flaws: readonly Flaw[]): boolean {
  const overcharge = actual.units.write - expected.units.write;
  const nothingFound =
    JSON.stringify(actual['items']) === '[]' || (actual['pages'] as number[] | undefined)?.includes(0);
  switch (asked.kind) {
    case 'transact':
      return flaws.includes('transact-units') && actual['ok'] === true;
    case 'batchGet':
      return flaws.includes('missing-in-batch-is-free') && actual.units.read < expected.units.read;
    case 'query':
    case 'queryIndex':
      return flaws.includes('empty-query-is-free') && nothingFound === true;
    default:
      return flaws.includes('half-index-keys') && overcharge >= 1 && overcharge <= 4;
  }
}

async function answersOf({ table }: OpenedTable, operations: readonly Operation[]): Promise<(Answer | 'invalid')[]> {
  await table.batchWrite({ delete: ALL_KEYS });
  const answers: (Answer | 'invalid')[] = [];
  for (const asked of operations) {
    try {
      answers.push(await ask(table, asked));
    } catch (error) {
      if (!(error instanceof PortError) || error.failure !== 'invalid') throw error;
      answers.push('invalid');
    }
  }
  return answers;
}

function describeAgreement(kind: EngineKind): void {
  const name = `SqliteTable and DynamoTable on ${kind.name}`;
  if ('unavailable' in kind.launch) {
    skipLoudly(name, kind.launch.unavailable);
    return;
  }
  describe(name, () => {
    let embedded: OpenedTable;
    let dynamo: OpenedTable;
    beforeAll(async () => {
      [embedded, dynamo] = await Promise.all([openSqliteTable(), openDynamoTable(kind)]);
    });
    afterAll(() => Promise.all([embedded?.close(), dynamo?.close()]));

    it('answer alike, units included', { timeout: TIME_LIMIT_MS * 3 }, async () => {
      const flaws = dynamo.flaws ?? [];
      const property = fc.asyncProperty(fc.array(operation, { minLength: 1, maxLength: 25 }), async (operations) => {
        const [wanted, given] = await Promise.all([answersOf(embedded, operations), answersOf(dynamo, operations)]);
        for (const [index, asked] of operations.entries()) {
          const expected = wanted[index] as Answer | 'invalid';
          let actual = given[index] as Answer | 'invalid';
          if (expected !== 'invalid' && actual !== 'invalid' && excused(asked, expected, actual, flaws)) {
            actual = { ...actual, units: expected.units };
          }
          expect({ asked, answer: actual }).toEqual({ asked, answer: expected });
        }
      });
      const limit = TIME_LIMIT_MS / 2;
      await fc.assert(property, { numRuns: RUNS, interruptAfterTimeLimit: limit, markInterruptAsFailure: false });
    });
  });
}

for (const kind of DYNAMO_ENGINES) describeAgreement(kind);
