import { KagziError } from '../model/errors.ts';
import { digest } from '../model/ids.ts';
import { isWellFormed, utf8Length } from '../model/utf8-order.ts';

/** Opaque to callers, and good only for the query that it came from. */
export const pageToken = (query: object, cursor: string): string =>
  Buffer.from(JSON.stringify([digest(JSON.stringify(query)), cursor]), 'utf8').toString('base64url');

const isCursor = (cursor: unknown): cursor is string =>
  typeof cursor === 'string' && cursor !== '' && isWellFormed(cursor) && utf8Length(cursor) <= 1024;

export function pageCursor(query: object, token: string | undefined): string | undefined {
  if (token === undefined) return undefined;
  try {
    const [bound, cursor] = JSON.parse(Buffer.from(token, 'base64url').toString('utf8')) as unknown[];
    if (bound === digest(JSON.stringify(query)) && isCursor(cursor)) return cursor;
  } catch {
    // Not ours.
  }
  throw invalidPageToken();
}

/** Also for a token that was made by somebody else than us: it names no place in the list. */
export const invalidPageToken = (): KagziError =>
  new KagziError('INVALID_PAGE_TOKEN', 'This page token does not belong to this query; start from the first page.');
