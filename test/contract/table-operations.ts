import fc from 'fast-check';
import type {
  Changes,
  Condition,
  IndexQuery,
  Item,
  Key,
  Query,
  Scalar,
  TransactWrite,
  Value,
} from '../../shared/ports/table.ts';

/** What the fuzz test asks of every engine. */
export type Operation =
  | { readonly kind: 'get'; readonly key: Key; readonly consistent: boolean }
  | TransactWrite
  | { readonly kind: 'transact'; readonly writes: readonly TransactWrite[] }
  | { readonly kind: 'query'; readonly query: Query }
  | { readonly kind: 'queryIndex'; readonly query: IndexQuery }
  | { readonly kind: 'batchGet'; readonly keys: readonly Key[]; readonly consistent: boolean }
  | { readonly kind: 'batchWrite'; readonly put: readonly Item[]; readonly delete: readonly Key[] };

const PKS = ['p', 'p😀'];
const SKS = ['\u0001', 'a', 'a#1', 'a#10', 'a#é', '\uffee', '😀'];
const HASHES = ['h', 'h1'];
const RANGES = ['1', '10', '2', '\uffee', '😀'];
export const ALL_KEYS: readonly Key[] = PKS.flatMap((pk) => SKS.map((sk) => ({ pk, sk })));

const key = fc.record({ pk: fc.constantFrom(...PKS), sk: fc.constantFrom(...SKS) });
const keys = fc.uniqueArray(key, { selector: ({ pk, sk }) => `${pk} ${sk}`, maxLength: 6 });
const attr = fc.constantFrom('a', 'b', 'n', 'nothing');
const number = fc.oneof(fc.constantFrom(0, 1, -1, 10, 0.1, 0.2, 1.25, -0.5, 1e21, 1e-7, 123456789012), fc.integer());
const bytes = fc.uint8Array({ maxLength: 3 }).map((array) => new Uint8Array(array));
const ordered: fc.Arbitrary<string | number | Uint8Array> = fc.oneof(
  fc.constantFrom('', 'a', 'b', '\uffee', '😀'),
  number,
  bytes,
);
const scalar: fc.Arbitrary<Scalar> = fc.oneof(ordered, fc.boolean(), fc.constant(null));
const text = fc.integer({ min: 900, max: 5_000 }).map((length) => 'x'.repeat(length));
const value: fc.Arbitrary<Value> = fc.oneof(
  { weight: 6, arbitrary: scalar },
  { weight: 1, arbitrary: text },
  { weight: 1, arbitrary: fc.array(scalar, { maxLength: 3 }) },
  {
    weight: 1,
    arbitrary: fc.dictionary(fc.constantFrom('x', 'é', '__proto__'), scalar, { maxKeys: 3 }).map((map) => ({ ...map })),
  },
);

const indexHash = fc.oneof(
  { weight: 20, arbitrary: fc.constantFrom(...HASHES) },
  { weight: 1, arbitrary: fc.constantFrom('', 1) },
);
const indexRange = fc.oneof(
  { weight: 20, arbitrary: fc.constantFrom(...RANGES) },
  { weight: 1, arbitrary: fc.constantFrom('', null) },
);
const attributes = fc.record(
  {
    a: value,
    b: value,
    n: fc.oneof(number, value),
    nothing: fc.constant(null),
    dk: indexHash,
    ds: indexRange,
    lk: indexHash,
    ls: indexRange,
  },
  { requiredKeys: [] },
) as fc.Arbitrary<Record<string, Value>>;
const item: fc.Arbitrary<Item> = fc.tuple(attributes, key).map(([more, at]) => ({ ...more, ...at }));

const filter: fc.Arbitrary<Condition> = conditionOn(attr);
const condition = fc.oneof(
  { weight: 3, arbitrary: conditionOn(fc.constantFrom('a', 'b', 'n', 'dk', 'pk', 'sk')) },
  { weight: 1, arbitrary: filter },
);

function conditionOn(name: fc.Arbitrary<string>): fc.Arbitrary<Condition> {
  const leaf: fc.Arbitrary<Condition> = fc.oneof(
    fc.record({ op: fc.constantFrom('exists' as const, 'missing' as const), attr: name }),
    fc.record({ op: fc.constantFrom('=' as const, '<>' as const), attr: name, value: scalar }),
    fc.record({
      op: fc.constantFrom('<' as const, '<=' as const, '>' as const, '>=' as const),
      attr: name,
      value: ordered,
    }),
    fc.record({ op: fc.constant('in' as const), attr: name, values: fc.array(scalar, { maxLength: 4 }) }),
  );
  return fc.letrec<{ node: Condition }>((tie) => ({
    node: fc.oneof(
      { maxDepth: 3 },
      { weight: 4, arbitrary: leaf },
      {
        weight: 1,
        arbitrary: fc.record({
          op: fc.constantFrom('and' as const, 'or' as const),
          of: fc.array(tie('node'), { maxLength: 3 }),
        }),
      },
      { weight: 1, arbitrary: fc.record({ op: fc.constant('not' as const), of: tie('node') }) },
    ),
  })).node;
}

const changes: fc.Arbitrary<Changes> = fc
  .record(
    {
      set: attributes,
      setIfMissing: attributes,
      add: fc.dictionary(fc.constantFrom('n', 'm', 'b'), number, { maxKeys: 2 }).map((map) => ({ ...map })),
      remove: fc.uniqueArray(fc.constantFrom('a', 'n', 'dk', 'ls')),
    },
    { requiredKeys: [] },
  )
  .map(disjoint);

/** Mostly valid: an attribute stays in the first of the four that names it. */
function disjoint(all: {
  set?: Record<string, Value>;
  setIfMissing?: Record<string, Value>;
  add?: Record<string, number>;
  remove?: string[];
}): Changes {
  const seen = new Set<string>();
  const fresh = <T>(map: Record<string, T>): Record<string, T> =>
    Object.fromEntries(Object.entries(map).filter(([name]) => !seen.has(name) && seen.add(name)));
  return {
    ...(all.set && { set: fresh(all.set) }),
    ...(all.setIfMissing && { setIfMissing: fresh(all.setIfMissing) }),
    ...(all.add && { add: fresh(all.add) }),
    ...(all.remove && { remove: all.remove.filter((name) => !seen.has(name)) }),
  };
}

const put = fc.record({ kind: fc.constant('put' as const), item, condition }, { requiredKeys: ['kind', 'item'] });
const update = fc.record(
  { kind: fc.constant('update' as const), key, changes, condition },
  { requiredKeys: ['kind', 'key', 'changes'] },
);
const remove = fc.record({ kind: fc.constant('delete' as const), key, condition }, { requiredKeys: ['kind', 'key'] });
const check = fc.record({ kind: fc.constant('check' as const), key, condition });
const write = fc.oneof(put, update, remove, check) as fc.Arbitrary<TransactWrite>;
const keyOf = (one: TransactWrite): Key => (one.kind === 'put' ? one.item : one.key);
const writes = fc.uniqueArray(write, {
  selector: (one) => `${keyOf(one).pk} ${keyOf(one).sk}`,
  minLength: 1,
  maxLength: 4,
});

const query = fc
  .record(
    {
      pk: fc.constantFrom(...PKS),
      prefix: fc.constantFrom('a', 'a#', 'a#1', '', '😀'),
      after: fc.constantFrom('a', 'a#1', 'a#2', '\uffee'),
      limit: fc.integer({ min: 1, max: 8 }),
      reverse: fc.boolean(),
      consistent: fc.boolean(),
      filter,
      attributes: fc.uniqueArray(fc.constantFrom('a', 'n', 'dk', 'sk'), { maxLength: 3 }),
    },
    { requiredKeys: ['pk'] },
  )
  .map(({ after, ...rest }) => ({
    ...rest,
    ...(after?.startsWith(rest.prefix ?? '') && { after }),
  })) as fc.Arbitrary<Query>;

const indexQuery = fc.record(
  {
    index: fc.constantFrom('due' as const, 'list' as const),
    hash: fc.constantFrom(...HASHES),
    from: fc.constantFrom(...RANGES),
    to: fc.constantFrom(...RANGES),
    limit: fc.integer({ min: 1, max: 4 }),
    reverse: fc.boolean(),
  },
  { requiredKeys: ['index', 'hash'] },
) as fc.Arbitrary<IndexQuery>;

export const operation: fc.Arbitrary<Operation> = fc.oneof(
  { weight: 4, arbitrary: put as fc.Arbitrary<Operation> },
  { weight: 5, arbitrary: update as fc.Arbitrary<Operation> },
  { weight: 2, arbitrary: remove as fc.Arbitrary<Operation> },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('get' as const), key, consistent: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('transact' as const), writes }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('query' as const), query }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('queryIndex' as const), query: indexQuery }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('batchGet' as const), keys, consistent: fc.boolean() }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('batchWrite' as const),
      put: fc.uniqueArray(item, { selector: ({ pk, sk }) => `${pk} ${sk}`, maxLength: 3 }),
      delete: fc.constant([]),
    }),
  },
);
