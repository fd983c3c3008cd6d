import { Pulse } from '../replay/pulse.ts';
import type { HttpJournal } from './http-journal.ts';
import type { WireTask } from './wire-task.ts';

export interface HeldRun {
  readonly task: WireTask;
  /** Aborted when the run is somebody else's. */
  readonly lost: AbortController;
  /** Null until its history is read. */
  journal: HttpJournal | null;
}

/** The runs that a poll worker works on. */
export class HeldRuns {
  readonly #all = new Set<HeldRun>();
  readonly #pulse = new Pulse();

  get size(): number {
    return this.#all.size;
  }

  countOf(type: string): number {
    return [...this.#all].filter(({ task }) => task.workflow_type === type).length;
  }

  add(task: WireTask): HeldRun {
    const held: HeldRun = { task, lost: new AbortController(), journal: null };
    this.#all.add(held);
    return held;
  }

  delete(held: HeldRun): void {
    this.#all.delete(held);
    this.#pulse.beat();
  }

  /** Answers when one has gone. */
  changed(): Promise<unknown> {
    return this.#pulse.next();
  }

  /** Whoever waits for a change looks again. */
  wake(): void {
    this.#pulse.beat();
  }

  async empty(): Promise<void> {
    while (this.#all.size > 0) await this.changed();
  }

  /** For a heartbeat. A run that was lost and came back counts with its new lease only: answers name runs, not leases. */
  named(): readonly HeldRun[] {
    const mine = [...this.#all].filter(({ lost }) => !lost.signal.aborted);
    return [...new Map(mine.map((held) => [held.task.run_id, held])).values()];
  }

  loseAll(): void {
    for (const { lost } of this.#all) lost.abort();
  }
}
