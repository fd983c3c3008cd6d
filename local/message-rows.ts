import {
  type Delivery,
  deadLetterQueue,
  deadLettersOf,
  type OutgoingMessage,
  type QueueDepth,
  type ReceiveOptions,
} from '../shared/ports/queue.ts';
import { fromBlob, toBlob } from './item-codec.ts';
import type { SqliteStore } from './sqlite-store.ts';

interface Row {
  readonly id: number;
  readonly grp: Uint8Array;
  readonly kind: Uint8Array;
  readonly visible_at: number;
  readonly sent_at: number;
  readonly receives: number;
  readonly body: Uint8Array;
}

/** A message as it stands in its queue. */
export interface MessageRow {
  readonly id: number;
  readonly queue: string;
  readonly message: Pick<OutgoingMessage, 'body' | 'group' | 'kind'>;
  readonly sentAt: number;
  readonly visibleAt: number;
  readonly receives: number;
  /** Delivered, and not yet acknowledged or given back. */
  readonly isHeld: boolean;
}

type Selection = Pick<ReceiveOptions, 'group' | 'kinds'>;
/** Up to so many kinds are asked for one by one; more are found among those that have messages. */
const FEW_KINDS = 4;
const COLUMNS = 'id, grp, kind, visible_at, sent_at, receives, body';

/**
 * The rows of messages. To be called inside a store operation. Delayed and delivered messages have a
 * `visible_at` to come, so the ready ones are a range of the index and the others cost nothing.
 */
export class MessageRows {
  /** Queues that are known to have their row. */
  readonly #known = new Map<string, Uint8Array>();
  /** Never one that was given out before, though the message it was for may never have been written. */
  #lastId: number | null = null;

  constructor(
    private readonly store: SqliteStore,
    private readonly maxReceives: number,
  ) {
    store.onRollback(() => this.#known.clear());
  }

  nextId(): number {
    this.#lastId ??= this.#lastWritten();
    this.#lastId += 1;
    return this.#lastId;
  }

  add({ id, queue, message, visibleAt, sentAt, receives, isHeld }: MessageRow): void {
    this.store
      .prepare(
        'INSERT INTO messages (id, queue, grp, kind, visible_at, held, sent_at, receives, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
      )
      .run(
        id,
        this.note(queue),
        toBlob(message.group),
        toBlob(message.kind),
        visibleAt,
        isHeld ? 1 : 0,
        sentAt,
        receives,
        toBlob(message.body),
      );
  }

  /** Answers whether any message went to the dead-letter queue on the way. */
  take(
    queue: string,
    options: ReceiveOptions,
    now: number,
  ): { readonly taken: readonly Delivery[]; readonly buried: boolean } {
    const taken: Delivery[] = [];
    let buried = false;
    while (taken.length < options.max) {
      const rows = this.#ready(queue, options, now, options.max - taken.length);
      if (rows.length === 0) break;
      for (const row of rows) {
        if (row.receives >= this.maxReceives && deadLettersOf(queue) === null) {
          this.#bury(queue, row.id, now);
          buried = true;
        } else taken.push(this.#deliver(row, now + options.visibilityMs));
      }
    }
    return { taken, buried };
  }

  remove(queue: string, delivery: Delivery): void {
    const { id, receives } = parseReceipt(delivery.receipt);
    this.store
      .prepare('DELETE FROM messages WHERE id = ? AND queue = ? AND receives = ? AND held = 1')
      .run(id, toBlob(queue), receives);
  }

  release(queue: string, delivery: Delivery, visibleAt: number): void {
    const { id, receives } = parseReceipt(delivery.receipt);
    this.store
      .prepare('UPDATE messages SET held = 0, visible_at = ? WHERE id = ? AND queue = ? AND receives = ? AND held = 1')
      .run(visibleAt, id, toBlob(queue), receives);
  }

  /** When the next message that is delayed or delivered becomes ready. */
  nextVisibleAt(queue: string, now: number): number | null {
    const row = this.store
      .prepare('SELECT min(visible_at) AS at FROM messages WHERE queue = ? AND visible_at > ?')
      .get(toBlob(queue), now) as { readonly at: number | null };
    return row.at;
  }

  depth(queue: string, group: string | undefined, now: number): QueueDepth {
    const where = group === undefined ? 'queue = ?' : 'queue = ? AND grp = ?';
    const lane = group === undefined ? [toBlob(queue)] : [toBlob(queue), toBlob(group)];
    const ready = this.store
      .prepare(`SELECT count(*) AS n, min(sent_at) AS oldest FROM messages WHERE ${where} AND visible_at <= ?`)
      .get(...lane, now) as { readonly n: number; readonly oldest: number | null };
    const hidden = this.store
      .prepare(`SELECT count(*) AS n, coalesce(sum(held), 0) AS held FROM messages WHERE ${where} AND visible_at > ?`)
      .get(...lane, now) as { readonly n: number; readonly held: number };
    return { ready: ready.n, delayed: hidden.n - hidden.held, inFlight: hidden.held, oldestSentAt: ready.oldest };
  }

  dropSentBefore(time: number): number {
    return Number(this.store.prepare('DELETE FROM messages WHERE sent_at < ?').run(time).changes);
  }

  names(): readonly string[] {
    const rows = this.store.prepare('SELECT name FROM queues ORDER BY name').all() as { readonly name: Uint8Array }[];
    return rows.map((row) => fromBlob(row.name));
  }

  /** A queue that has got a message. */
  note(queue: string): Uint8Array {
    const known = this.#known.get(queue);
    if (known !== undefined) return known;
    const name = toBlob(queue);
    this.store.prepare('INSERT OR IGNORE INTO queues (name) VALUES (?)').run(name);
    this.#known.set(queue, name);
    return name;
  }

  /** Oldest first. */
  #ready(queue: string, selection: Selection, now: number, limit: number): readonly Row[] {
    const name = toBlob(queue);
    if (selection.group === undefined && selection.kinds === undefined) {
      return this.store
        .prepare(
          `SELECT ${COLUMNS} FROM messages WHERE queue = ? AND visible_at <= ? ORDER BY visible_at, held, sent_at, id LIMIT ?`,
        )
        .all(name, now, limit) as Row[];
    }
    const select = this.store.prepare(
      `SELECT ${COLUMNS} FROM messages WHERE queue = ? AND grp = ? AND kind = ? AND visible_at <= ? ORDER BY visible_at, id LIMIT ?`,
    );
    return this.#lanes(name, selection)
      .flatMap(([group, kind]) => select.all(name, group, kind, now, limit) as Row[])
      .sort((a, b) => a.visible_at - b.visible_at || a.id - b.id)
      .slice(0, limit);
  }

  /** The pairs of group and kind to look at: given, or found by hopping through the index from pair to pair. */
  #lanes(queue: Uint8Array, { group, kinds }: Selection): readonly (readonly [Uint8Array, Uint8Array])[] {
    if (group !== undefined && kinds !== undefined && kinds.length <= FEW_KINDS)
      return [...new Set(kinds)].map((kind) => [toBlob(group), toBlob(kind)]);
    const wanted = new Set(kinds);
    const lanes: (readonly [Uint8Array, Uint8Array])[] = [];
    const hop = this.store.prepare(
      'SELECT grp, kind FROM messages WHERE queue = ? AND (grp, kind) > (?, ?) ORDER BY grp, kind LIMIT 1',
    );
    const hopIn = this.store.prepare(
      'SELECT grp, kind FROM messages WHERE queue = ? AND grp = ? AND kind > ? ORDER BY kind LIMIT 1',
    );
    // A text sorts before every blob, so it starts before the first pair, empty names included.
    let at: readonly [Uint8Array | string, Uint8Array | string] = [group === undefined ? '' : toBlob(group), ''];
    for (;;) {
      const next = (group === undefined ? hop : hopIn).get(queue, ...at) as Pick<Row, 'grp' | 'kind'> | undefined;
      if (next === undefined) return lanes;
      if (kinds === undefined || wanted.has(fromBlob(next.kind))) lanes.push([next.grp, next.kind]);
      at = [next.grp, next.kind];
    }
  }

  #lastWritten(): number {
    const row = this.store.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'messages'").get();
    return (row as { readonly seq: number } | undefined)?.seq ?? 0;
  }

  #deliver(row: Row, visibleAt: number): Delivery {
    const receiveCount = row.receives + 1;
    this.store
      .prepare('UPDATE messages SET held = 1, visible_at = ?, receives = ? WHERE id = ?')
      .run(visibleAt, receiveCount, row.id);
    return {
      id: String(row.id),
      body: fromBlob(row.body),
      group: fromBlob(row.grp),
      kind: fromBlob(row.kind),
      receiveCount,
      sentAt: row.sent_at,
      receipt: `${row.id}.${receiveCount}`,
    };
  }

  #bury(queue: string, id: number, now: number): void {
    const dead = this.note(deadLetterQueue(queue));
    this.store
      .prepare('UPDATE messages SET queue = ?, held = 0, receives = 0, visible_at = ? WHERE id = ?')
      .run(dead, now, id);
  }
}

/** An id that no message has, if it is no receipt of ours. */
export function parseReceipt(receipt: string): { readonly id: number; readonly receives: number } {
  const [id = '', receives = ''] = receipt.split('.');
  return /^\d+\.\d+$/.test(receipt) ? { id: Number(id), receives: Number(receives) } : { id: -1, receives: -1 };
}
