import { join } from 'node:path';
import { PortError } from '../shared/ports/port-error.ts';

const MAX_PART = 200;
const MAX_KEY = 1024;
/** Not in the alphabet of keys: `a` and `a/b` can both be blobs, as a file `a@` and a directory `a`. */
const FILE_MARK = '@';

/** On a file system that ignores case, keys that differ in case only are one blob. */
export function blobPath(root: string, key: string): string {
  const parts = key.split('/');
  const valid = parts.every(
    (part) => /^[A-Za-z0-9._-]+$/.test(part) && part !== '.' && part !== '..' && part.length <= MAX_PART,
  );
  if (!valid || key.length > MAX_KEY) throw new PortError('invalid', 'not a blob key');
  return join(root, ...parts) + FILE_MARK;
}

export interface BlobEntry {
  /** Ends in `/` for a directory, which is also what orders it among its siblings. */
  readonly name: string;
  readonly isDirectory: boolean;
}

export function toEntry(name: string, isDirectory: boolean): BlobEntry | null {
  if (isDirectory) return { name: `${name}/`, isDirectory };
  return name.endsWith(FILE_MARK) ? { name: name.slice(0, -1), isDirectory } : null;
}
