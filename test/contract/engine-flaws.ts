import { it } from 'vitest';

/** Where an engine is known to differ from what DynamoDB documents. Nothing else is excused. */
export type Flaw =
  /** Only the first write of a transaction is counted, and its index writes are doubled. */
  | 'transact-units'
  /** A query that looks at nothing costs nothing, instead of the smallest read. */
  | 'empty-query-is-free'
  /** A missing item costs nothing in a batch, instead of the smallest read. */
  | 'missing-in-batch-is-free'
  /** `<` against null or a boolean is false, instead of refused. */
  | 'orders-anything'
  /** `prefix` does not tell ASCII capitals from small letters. */
  | 'prefix-ignores-case'
  /** An empty hash key, or a start outside the bounds, finds something or nothing, instead of being refused. */
  | 'lenient-queries'
  /** Only rows that pass the filter count towards the 1 MB of a page. */
  | 'filter-before-page'
  /** An item that swaps one half of an index key for the other is charged for the index it never was in. */
  | 'half-index-keys';

export const ENGINE_FLAWS: Readonly<Record<string, readonly Flaw[]>> = {
  dynoxide: ['orders-anything', 'prefix-ignores-case', 'lenient-queries'],
  'DynamoDB Local': [
    'transact-units',
    'empty-query-is-free',
    'missing-in-batch-is-free',
    'filter-before-page',
    'half-index-keys',
  ],
};

export type QueueFlaw =
  /** A long poll whose client has gone goes on, and takes the next message: it comes again when its visibility ends. */
  | 'abandoned-polls-take'
  /** SQS counts a queue, not the groups in it. */
  | 'groups-uncounted'
  /** It knows the characters up to U+FFFF alone. */
  | 'refuses-astral-characters';
export type BlobsFlaw =
  /** Keys come in the order of words, capitals beside small letters, instead of in that of bytes. */
  'alphabetical-order';

/** The second is one of SQS itself; the others are fauxqs's own. */
export const FAUXQS_QUEUE_FLAWS: readonly QueueFlaw[] = [
  'abandoned-polls-take',
  'groups-uncounted',
  'refuses-astral-characters',
];
export const FAUXQS_BLOBS_FLAWS: readonly BlobsFlaw[] = ['alphabetical-order'];

/** A test that an engine with the flaw cannot pass: skipped, and loudly. */
export function itUnless<Flaws extends string>(
  flaws: readonly Flaws[],
  flaw: Flaws,
  name: string,
  test: () => Promise<void>,
): void {
  const flawed = flaws.includes(flaw);
  const title = flawed ? `${name}: SKIPPED, this engine has the flaw "${flaw}"` : name;
  if (flawed) console.warn(title);
  it.skipIf(flawed)(title, test);
}
