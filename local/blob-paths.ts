import { join } from 'node:path';
import { checkBlobKey } from '../shared/model/check-blob-key.ts';

/** Not in the alphabet of keys: `a` and `a/b` can both be blobs, as a file `a@` and a directory `a`. */
const FILE_MARK = '@';

/** On a file system that ignores case, keys that differ in case only are one blob. */
export function blobPath(root: string, key: string): string {
  checkBlobKey(key);
  return join(root, ...key.split('/')) + FILE_MARK;
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
