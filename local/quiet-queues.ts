import type { ReceiveOptions } from '../shared/ports/queue.ts';

type Selection = Pick<ReceiveOptions, 'group' | 'kinds'>;

interface Quiet extends Selection {
  /** When a message becomes ready by itself; null if none will. */
  until: number | null;
}

/** What was found out when a queue was last looked at for nothing: until then there is no need to look again. */
export class QuietQueues {
  readonly #quiet = new Map<string, Quiet>();

  /** Nothing of this selection was found, and before then nothing comes up. */
  note(queue: string, { group, kinds }: Selection, until: number | null): void {
    this.#quiet.set(queue, {
      ...(group === undefined ? {} : { group }),
      ...(kinds === undefined ? {} : { kinds }),
      until,
    });
  }

  /** When to look again, if that is not now. */
  of(queue: string, { group, kinds }: Selection, now: number): { readonly until: number | null } | null {
    const quiet = this.#quiet.get(queue);
    if (quiet === undefined || quiet.group !== group || quiet.kinds !== kinds) return null;
    return quiet.until !== null && quiet.until <= now ? null : quiet;
  }

  /** A message of the queue is ready from then on. */
  wake(queue: string, at: number): void {
    const quiet = this.#quiet.get(queue);
    if (quiet !== undefined && (quiet.until === null || at < quiet.until)) quiet.until = at;
  }

  /** What was found out may be undone. */
  clear(): void {
    this.#quiet.clear();
  }
}
