import { KagziError } from '../model/errors.ts';
import { digest } from '../model/ids.ts';

/** Opaque to callers, and good only for the query that it came from. */
export const pageToken = (query: object, cursor: string): string =>
  Buffer.from(JSON.stringify([digest(JSON.stringify(query)), cursor]), 'utf8').toString('base64url');

export function pageCursor(query: object, token: string | undefined): string | undefined {
  if (token === undefined) return undefined;
  try {
    const [bound, cursor] = JSON.parse(Buffer.from(token, 'base64url').toString('utf8')) as unknown[];
    if (bound === digest(JSON.stringify(query)) && typeof cursor === 'string' && cursor !== '' && cursor.length <= 1024)
      return cursor;
  } catch {
    // Not ours.
  }
  throw new KagziError(
    'INVALID_PAGE_TOKEN',
    'This page token does not belong to this query; start from the first page.',
  );
}
