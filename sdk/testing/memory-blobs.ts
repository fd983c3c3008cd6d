import { checkBlobKey } from '../../shared/model/check-blob-key.ts';
import type { Blobs } from '../../shared/ports/blobs.ts';
import type { Clock } from '../../shared/ports/clock.ts';

export class MemoryBlobs implements Blobs {
  readonly #blobs = new Map<string, { readonly content: Uint8Array; readonly modifiedAt: number }>();

  constructor(private readonly clock: Clock) {}

  async put(key: string, content: Uint8Array): Promise<void> {
    checkBlobKey(key);
    this.#blobs.set(key, { content: new Uint8Array(content), modifiedAt: this.clock.now() });
  }

  async get(key: string): Promise<Uint8Array | null> {
    checkBlobKey(key);
    const found = this.#blobs.get(key);
    return found === undefined ? null : new Uint8Array(found.content);
  }

  async delete(keys: readonly string[]): Promise<void> {
    for (const key of keys) checkBlobKey(key);
    for (const key of keys) this.#blobs.delete(key);
  }

  async list({
    prefix,
    after = '',
    limit,
  }: {
    readonly prefix: string;
    readonly after?: string;
    readonly limit: number;
  }) {
    const found = [...this.#blobs].filter(([key]) => key.startsWith(prefix) && key > after).sort(byKey);
    const page = found.slice(0, limit);
    return {
      blobs: page.map(([key, { content, modifiedAt }]) => ({ key, bytes: content.length, modifiedAt })),
      next: found.length > page.length ? (page.at(-1)?.[0] ?? null) : null,
    };
  }
}

const byKey = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number => (a < b ? -1 : 1);
