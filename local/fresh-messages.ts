import type { Delivery, OutgoingMessage, ReceiveOptions } from '../shared/ports/queue.ts';
import type { MessageRow, MessageRows } from './message-rows.ts';

/**
 * Messages sent in the open group. They are written when it is committed, unless they are acknowledged by then: the
 * message of a run that is claimed in the turn of its start costs nothing but this.
 */
export class FreshMessages {
  /** Oldest first. */
  readonly #ready = new Map<number, MessageRow>();
  readonly #held = new Map<number, MessageRow>();

  add(row: MessageRow): void {
    this.#ready.set(row.id, row);
  }

  take(queue: string, options: ReceiveOptions, max: number, visibleAt: number): readonly Delivery[] {
    const taken: Delivery[] = [];
    for (const row of this.#ready.values()) {
      if (taken.length >= max) break;
      if (row.queue !== queue || !isWanted(row.message, options)) continue;
      const held = { ...row, visibleAt, receives: row.receives + 1, isHeld: true };
      this.#ready.delete(row.id);
      this.#held.set(row.id, held);
      taken.push(deliveryOf(held));
    }
    return taken;
  }

  /** False if it is not one of these. */
  remove(queue: string, id: number): boolean {
    return this.#held.get(id)?.queue === queue && this.#held.delete(id);
  }

  clear(): void {
    this.#ready.clear();
    this.#held.clear();
  }

  /** Tells of each that is written. */
  flush(rows: MessageRows, told: (row: MessageRow) => void): void {
    if (this.#ready.size === 0 && this.#held.size === 0) return;
    for (const some of [this.#held, this.#ready]) {
      for (const row of some.values()) {
        rows.add(row);
        told(row);
      }
    }
    this.clear();
  }
}

const isWanted = ({ group, kind }: OutgoingMessage, wanted: ReceiveOptions): boolean =>
  (wanted.group === undefined || wanted.group === group) && wanted.kinds?.includes(kind) !== false;

export const deliveryOf = ({ id, message, receives, sentAt }: MessageRow): Delivery => ({
  id: String(id),
  body: message.body,
  group: message.group,
  kind: message.kind,
  receiveCount: receives,
  sentAt,
  receipt: `${id}.${receives}`,
});
