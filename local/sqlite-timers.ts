import type { Clock } from '../shared/ports/clock.ts';
import { CONTROL_QUEUE } from '../shared/ports/queue.ts';
import { TIMER_KIND, type Timers } from '../shared/ports/timers.ts';
import { Alarm } from './alarm.ts';
import { fromBlob, toBlob } from './item-codec.ts';
import type { SqliteQueue } from './sqlite-queue.ts';
import type { SqliteStore } from './sqlite-store.ts';

const FIRES_PER_GROUP = 100;
const RETRY_MS = 1000;

interface Row {
  readonly id: Uint8Array;
  readonly grp: Uint8Array;
  readonly body: Uint8Array;
}

export class SqliteTimers implements Timers {
  readonly leadMs = 0;
  readonly #alarm: Alarm;
  #running = false;

  constructor(
    private readonly store: SqliteStore,
    private readonly queue: SqliteQueue,
    private readonly clock: Clock,
  ) {
    this.#alarm = new Alarm(clock, () => void this.#fire());
    store.onClose(() => this.stop());
  }

  /** Fires what is overdue, then the rest in time. */
  async start(): Promise<void> {
    this.#running = true;
    await this.#fire();
  }

  stop(): void {
    this.#running = false;
    this.#alarm.set(null);
  }

  async set(id: string, at: number, message: { readonly body: string; readonly group: string }): Promise<void> {
    await this.store.write(() => {
      this.store
        .prepare('INSERT OR REPLACE INTO timers (id, at, grp, body) VALUES (?, ?, ?, ?)')
        .run(toBlob(id), Math.ceil(at), toBlob(message.group), toBlob(message.body));
      this.store.afterGroup(() => void this.#arm());
    });
  }

  async cancel(id: string): Promise<void> {
    await this.store.write(() => {
      this.store.prepare('DELETE FROM timers WHERE id = ?').run(toBlob(id));
    });
  }

  async #fire(): Promise<void> {
    try {
      while (this.#running && (await this.store.write(() => this.#fireDue())) === FIRES_PER_GROUP);
      await this.#arm();
    } catch {
      // The rows are still there: a store that could not write is asked again.
      if (this.#running) this.#alarm.set(this.clock.now() + RETRY_MS);
    }
  }

  /** The message is sent in the transaction that removes the timer. */
  #fireDue(): number {
    const due = this.store
      .prepare('SELECT id, grp, body FROM timers WHERE at <= ? ORDER BY at LIMIT ?')
      .all(this.clock.now(), FIRES_PER_GROUP) as Row[];
    for (const row of due) this.store.prepare('DELETE FROM timers WHERE id = ?').run(row.id);
    const messages = due.map((row) => ({ body: fromBlob(row.body), group: fromBlob(row.grp), kind: TIMER_KIND }));
    if (messages.length > 0) this.queue.sendInGroup(CONTROL_QUEUE, messages);
    return due.length;
  }

  async #arm(): Promise<void> {
    if (!this.#running) return;
    try {
      const { at } = await this.store.read(
        () => this.store.prepare('SELECT min(at) AS at FROM timers').get() as { readonly at: number | null },
      );
      if (this.#running) this.#alarm.set(at);
    } catch {
      if (this.#running) this.#alarm.set(this.clock.now() + RETRY_MS);
    }
  }
}
