import type { Engine } from '../store/engine.ts';
import { queryNamespaces } from '../store/seen.ts';
import { pageCursor, pageToken } from './page-token.ts';

const QUERY = { namespaces: true };

/** The namespaces that something was started or registered in. */
export async function listNamespaces(
  engine: Engine,
  request: { readonly pageSize: number; readonly pageToken?: string | undefined },
): Promise<{
  readonly namespaces: readonly { readonly name: string; readonly firstSeenAt: number }[];
  readonly nextPageToken: string | null;
}> {
  const after = pageCursor(QUERY, request.pageToken);
  const { names, next } = await queryNamespaces(engine, after, request.pageSize);
  return { namespaces: names, nextPageToken: next === null ? null : pageToken(QUERY, next) };
}
