import { isDeepStrictEqual } from 'node:util';
import type { IndexPage, Item, Key, QueryPage, Table } from '../../../shared/ports/table.ts';

type Asked = 'get' | 'put' | 'update' | 'delete' | 'query' | 'queryIndex' | 'batchGet' | 'batchWrite';
const ASKED: readonly Asked[] = ['get', 'put', 'update', 'delete', 'query', 'queryIndex', 'batchGet', 'batchWrite'];

/** Asks two tables the same and says where they disagree; the first one's answer counts. */
export function mirrorTable(first: Table, second: Table, onDifference: (what: string) => void): Table {
  const both =
    (name: Asked) =>
    async (...args: unknown[]): Promise<unknown> => {
      const ask = (table: Table): Promise<unknown> =>
        Reflect.apply(Reflect.get(table, name) as (...given: unknown[]) => Promise<unknown>, table, args);
      const [one, other] = await Promise.all([ask(first), ask(second)]);
      if (!isDeepStrictEqual(shown(name, one), shown(name, other))) {
        const what = JSON.stringify({ args, one: shown(name, one), other: shown(name, other) });
        onDifference(`${name}: ${what.slice(0, 1_500)}`);
      }
      return one;
    };
  const asked = Object.fromEntries(ASKED.map((name) => [name, both(name)]));
  return new Proxy(first, {
    get(target, name) {
      const value: unknown = asked[String(name)] ?? Reflect.get(target, name, target);
      return typeof value === 'function' && asked[String(name)] === undefined ? value.bind(target) : value;
    },
  });
}

const byKey = (a: Key, b: Key): number => (`${a.pk} ${a.sk}` < `${b.pk} ${b.sk}` ? -1 : 1);

/** Without what nobody promises: units here, the order of a batch, whether an exact page has an empty one behind it. */
function shown(name: Asked, answer: unknown): unknown {
  switch (name) {
    case 'batchGet':
      return (answer as { readonly items: readonly Item[] }).items.toSorted(byKey);
    case 'query':
      return (answer as QueryPage).items;
    case 'queryIndex':
      return (answer as IndexPage).rows.toSorted(byKey);
    case 'batchWrite':
      return null;
    case 'get':
      return (answer as { readonly item: Item | null }).item;
    case 'put':
    case 'update':
    case 'delete': {
      const { ok, item, current } = answer as { ok: boolean; item?: Item; current?: Item | null };
      return { ok, item, current };
    }
  }
}
