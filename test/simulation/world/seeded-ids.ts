import type { Ids } from '../../../shared/ports/ids.ts';
import type { Random } from '../kernel/random.ts';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-';

/** Ids of the usual form from a stream of its own. */
export class SeededIds implements Ids {
  constructor(private readonly chance: Random) {}

  uuid(now: number): string {
    const time = now.toString(16).padStart(12, '0');
    const tail = Array.from({ length: 12 }, () => this.chance.int(0, 15).toString(16)).join('');
    return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${tail}`;
  }

  token(): string {
    return this.#text(22);
  }

  writeId(): string {
    return this.#text(10);
  }

  random(): number {
    return this.chance.next();
  }

  #text(length: number): string {
    let text = '';
    for (let i = 0; i < length; i++) text += ALPHABET[Math.floor(this.chance.next() * 64)];
    return text;
  }
}
