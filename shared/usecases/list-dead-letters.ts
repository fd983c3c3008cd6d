import { type DeadLetter, queryDeadLetters } from '../store/dead-letters.ts';
import type { Engine } from '../store/engine.ts';
import { pageCursor, pageToken } from './page-token.ts';

export interface ListDeadLetters {
  readonly namespace: string;
  readonly pageSize: number;
  readonly pageToken?: string | undefined;
}

export async function listDeadLetters(
  engine: Engine,
  request: ListDeadLetters,
): Promise<{ readonly letters: readonly DeadLetter[]; readonly nextPageToken: string | null }> {
  const query = { deadLetters: request.namespace };
  const after = pageCursor(query, request.pageToken);
  const { letters, next } = await queryDeadLetters(engine, request.namespace, { after, limit: request.pageSize });
  return { letters, nextPageToken: next === null ? null : pageToken(query, next) };
}
