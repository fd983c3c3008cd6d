import type { Table } from '../shared/ports/table.ts';

/** DynamoDB charges its smallest read for a query that finds nothing; Amazon's DynamoDB Local reports none. */
export function chargeEmptyQueries(table: Table): Table {
  const charged = <P extends { readonly units: { readonly read: number; readonly write: number } }>(
    page: P,
    smallest: number,
  ): P => (page.units.read === 0 ? { ...page, units: { ...page.units, read: smallest } } : page);
  return new Proxy(table, {
    get(target, name) {
      if (name === 'query')
        return async (...[query]: Parameters<Table['query']>) =>
          charged(await target.query(query), query.consistent === true ? 1 : 0.5);
      if (name === 'queryIndex')
        return async (...[query]: Parameters<Table['queryIndex']>) => charged(await target.queryIndex(query), 0.5);
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === 'function' ? (member.bind(target) as unknown) : member;
    },
  });
}
