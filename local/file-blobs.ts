import { randomBytes } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { mkdir, open, readdir, readFile, rename, rm, rmdir, stat, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { BlobInfo, Blobs } from '../shared/ports/blobs.ts';
import { PortError } from '../shared/ports/port-error.ts';
import { blobPath, toEntry } from './blob-paths.ts';

const PUT_TRIES = 5;
const isMissing = (error: unknown): boolean => (error as { code?: string }).code === 'ENOENT';

async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

export class FileBlobs implements Blobs {
  readonly #root: string;
  readonly #unfinished: string;

  /** One process at a time: what an earlier one left unfinished is removed. */
  constructor(directory: string) {
    this.#root = join(directory, 'blobs');
    this.#unfinished = join(directory, 'blobs.unfinished');
    rmSync(this.#unfinished, { recursive: true, force: true });
    mkdirSync(this.#root, { recursive: true });
    mkdirSync(this.#unfinished, { recursive: true });
  }

  async put(key: string, bytes: Uint8Array): Promise<void> {
    const path = blobPath(this.#root, key);
    const temporary = join(this.#unfinished, randomBytes(12).toString('hex'));
    try {
      const handle = await open(temporary, 'wx');
      try {
        await handle.writeFile(bytes);
        await handle.sync();
      } finally {
        await handle.close();
      }
      await this.#publish(temporary, path);
    } catch (cause) {
      await rm(temporary, { force: true });
      throw new PortError('unknown', `the blob was not written: ${(cause as Error).message}`, { cause });
    }
  }

  async get(key: string): Promise<Uint8Array | null> {
    try {
      return new Uint8Array(await readFile(blobPath(this.#root, key)));
    } catch (error) {
      if (isMissing(error)) return null;
      throw asPortError(error);
    }
  }

  async delete(keys: readonly string[]): Promise<void> {
    const paths = keys.map((key) => blobPath(this.#root, key));
    for (const path of paths) {
      try {
        await unlink(path);
      } catch (error) {
        if (!isMissing(error)) throw asPortError(error);
      }
      await this.#removeEmpty(dirname(path));
    }
  }

  async list(options: { readonly prefix: string; readonly after?: string; readonly limit: number }): Promise<{
    blobs: readonly BlobInfo[];
    next: string | null;
  }> {
    const blobs: BlobInfo[] = [];
    for await (const key of this.#keys('', options.prefix, options.after ?? '')) {
      if (blobs.length === options.limit) return { blobs, next: blobs.at(-1)?.key ?? null };
      try {
        const { size, mtimeMs } = await stat(blobPath(this.#root, key));
        blobs.push({ key, bytes: size, modifiedAt: Math.floor(mtimeMs) });
      } catch (error) {
        if (!isMissing(error)) throw asPortError(error);
      }
    }
    return { blobs, next: null };
  }

  /** A delete may remove the directory between our mkdir and our rename. */
  async #publish(temporary: string, path: string): Promise<void> {
    for (let tries = 1; ; tries++) {
      try {
        const created = await mkdir(dirname(path), { recursive: true });
        await rename(temporary, path);
        await this.#syncUp(dirname(path), created !== undefined);
        return;
      } catch (error) {
        if (!isMissing(error) || tries === PUT_TRIES) throw error;
      }
    }
  }

  /** New directories are durable once their parents are synced too. */
  async #syncUp(directory: string, isNew: boolean): Promise<void> {
    await sync(directory);
    if (isNew && directory !== this.#root) await this.#syncUp(dirname(directory), true);
  }

  async #removeEmpty(directory: string): Promise<void> {
    if (directory === this.#root) return;
    try {
      await rmdir(directory);
    } catch {
      return;
    }
    await this.#removeEmpty(dirname(directory));
  }

  /** In key order, one directory in memory at a time per level; keys are ASCII, so `<` is byte order. */
  async *#keys(base: string, prefix: string, after: string): AsyncGenerator<string> {
    const found = await readdir(join(this.#root, base), { withFileTypes: true }).catch((error: unknown) => {
      if (isMissing(error)) return [];
      throw asPortError(error);
    });
    const entries = found.flatMap((entry) => toEntry(entry.name, entry.isDirectory()) ?? []);
    entries.sort((a, b) => (a.name < b.name ? -1 : 1));
    for (const entry of entries) {
      const key = base + entry.name;
      if (!entry.isDirectory) {
        if (key.startsWith(prefix) && key > after) yield key;
        continue;
      }
      const mayMatch = key.startsWith(prefix) || prefix.startsWith(key);
      const isBehind = key > after || after.startsWith(key);
      if (mayMatch && isBehind) yield* this.#keys(key, prefix, after);
    }
  }
}

function asPortError(cause: unknown): PortError {
  return cause instanceof PortError
    ? cause
    : new PortError('unavailable', `blobs: ${(cause as Error).message}`, { cause });
}
