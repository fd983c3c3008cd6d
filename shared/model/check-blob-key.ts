import { PortError } from '../ports/port-error.ts';

const MAX_PART = 200;
const MAX_KEY = 1024;

/** The same keys everywhere, so that what is stored in one place can be moved to another. */
export function checkBlobKey(key: string): void {
  const valid = key
    .split('/')
    .every((part) => /^[A-Za-z0-9._-]+$/.test(part) && part !== '.' && part !== '..' && part.length <= MAX_PART);
  if (!valid || key.length > MAX_KEY) throw new PortError('invalid', 'not a blob key');
}
