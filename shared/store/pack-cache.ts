import type { Step } from '../model/step.ts';

/** Packed steps by the key of their chunk. A chunk never changes, so what was read once need not be read again. */
export class PackCache {
  readonly #chunks = new Map<string, { readonly steps: readonly Step[]; readonly bytes: number }>();
  #bytes = 0;

  /** Of heap, about. */
  constructor(private readonly maxBytes: number) {}

  get(key: string): readonly Step[] | null {
    const found = this.#chunks.get(key);
    if (found === undefined) return null;
    // The least recently used stand first.
    this.#chunks.delete(key);
    this.#chunks.set(key, found);
    return found.steps;
  }

  set(key: string, steps: readonly Step[], bytes: number): void {
    this.#forget(key);
    this.#chunks.set(key, { steps, bytes });
    this.#bytes += bytes;
    for (const oldest of this.#chunks.keys()) {
      if (this.#bytes <= this.maxBytes) return;
      this.#forget(oldest);
    }
  }

  #forget(key: string): void {
    this.#bytes -= this.#chunks.get(key)?.bytes ?? 0;
    this.#chunks.delete(key);
  }
}
