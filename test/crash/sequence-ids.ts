import type { Ids } from '../../shared/ports/ids.ts';

/** The same ids in the same order every time, so that the N-th call of one play is the N-th of the next. No jitter, no backoff. */
export class SequenceIds implements Ids {
  #made = 0;

  uuid(now: number): string {
    const time = now.toString(16).padStart(12, '0');
    return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${(this.#made++).toString(16).padStart(12, '0')}`;
  }

  token(): string {
    return `token${String(this.#made++).padStart(17, '0')}`;
  }

  writeId(): string {
    return `w${this.#made++}`;
  }

  random(): number {
    return 0;
  }
}
