import { randomBytes } from 'node:crypto';
import type { Ids } from '../ports/ids.ts';

const RANDOM_BITS = 74n;
const LOW_BITS = 62n;

const randomBits = (bytes: number): bigint => BigInt(`0x${randomBytes(bytes).toString('hex')}`);

export class SystemIds implements Ids {
  #lastMs = -1;
  #tail = 0n;

  /** Within one millisecond each id is greater than the one before. */
  uuid(now: number): string {
    const ms = Math.floor(now);
    // The top bit starts clear, so stepping up within a millisecond cannot overflow.
    this.#tail =
      ms === this.#lastMs ? this.#tail + 1n + randomBits(4) : randomBits(10) & ((1n << (RANDOM_BITS - 1n)) - 1n);
    this.#lastMs = ms;
    const high = (BigInt(ms) << 16n) | 0x7000n | (this.#tail >> LOW_BITS);
    const low = (0b10n << LOW_BITS) | (this.#tail & ((1n << LOW_BITS) - 1n));
    const hex = ((high << 64n) | low).toString(16).padStart(32, '0');
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
  }

  token(): string {
    return randomBytes(16).toString('base64url');
  }

  writeId(): string {
    return randomBytes(8).toString('base64url').slice(0, 10);
  }

  random(): number {
    return Math.random();
  }
}
