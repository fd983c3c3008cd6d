import { randomFillSync } from 'node:crypto';
import type { Ids } from '../ports/ids.ts';

const POOL_BYTES = 8192;
const TAIL_BYTES = 10;
const TOKEN_BYTES = 16;
const WRITE_ID_BYTES = 8;
const WRITE_ID_LENGTH = 10;

const pool = Buffer.alloc(POOL_BYTES);
let used = POOL_BYTES;

/** Where in the pool so many bytes lie that nobody has had: to ask the system for each few of them takes longer. */
function draw(bytes: number): number {
  if (used + bytes > POOL_BYTES) {
    randomFillSync(pool);
    used = 0;
  }
  const at = used;
  used += bytes;
  return at;
}

const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0');

export class SystemIds implements Ids {
  #lastMs = -1;
  /** The 74 random bits as 12, 30 and 32. */
  #high = 0;
  #middle = 0;
  #low = 0;

  /** Within one millisecond each id is greater than the one before. */
  uuid(now: number): string {
    const ms = Math.floor(now);
    if (ms === this.#lastMs) this.#step();
    else this.#renew();
    this.#lastMs = ms;
    const time = hex(ms, 12);
    const variant = hex((0b10 << 14) | (this.#middle >>> 16), 4);
    return `${time.slice(0, 8)}-${time.slice(8)}-7${hex(this.#high, 3)}-${variant}-${hex(this.#middle & 0xffff, 4)}${hex(this.#low, 8)}`;
  }

  /** The top bit starts clear, so that stepping up within a millisecond cannot overflow. */
  #renew(): void {
    const at = draw(TAIL_BYTES);
    this.#high = pool.readUInt16BE(at) & 0x7ff;
    this.#middle = pool.readUInt32BE(at + 2) >>> 2;
    this.#low = pool.readUInt32BE(at + 6);
  }

  #step(): void {
    const low = this.#low + 1 + pool.readUInt32BE(draw(4));
    this.#low = low % 2 ** 32;
    const middle = this.#middle + Math.floor(low / 2 ** 32);
    this.#middle = middle % 2 ** 30;
    this.#high += Math.floor(middle / 2 ** 30);
  }

  token(): string {
    const at = draw(TOKEN_BYTES);
    return pool.toString('base64url', at, at + TOKEN_BYTES);
  }

  writeId(): string {
    const at = draw(WRITE_ID_BYTES);
    return pool.toString('base64url', at, at + WRITE_ID_BYTES).slice(0, WRITE_ID_LENGTH);
  }

  random(): number {
    return Math.random();
  }
}
