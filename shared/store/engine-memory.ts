import { PackCache } from './pack-cache.ts';

const PACK_CACHE_BYTES = 32 * 1024 * 1024;
const MAX_NOTED = 10_000;

/** What a process may remember because it cannot change: losing it costs reads, nothing else. */
export class EngineMemory {
  readonly packs = new PackCache(PACK_CACHE_BYTES);
  readonly #notedQueues = new Set<string>();

  hasNoted(namespace: string, taskQueue: string): boolean {
    return this.#notedQueues.has(`${namespace}#${taskQueue}`);
  }

  noted(namespace: string, taskQueue: string): void {
    if (this.#notedQueues.size >= MAX_NOTED) this.#notedQueues.clear();
    this.#notedQueues.add(`${namespace}#${taskQueue}`);
  }
}
