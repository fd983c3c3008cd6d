import { createHash } from 'node:crypto';

/** A run's id under an external id: the same for every caller, so that one conditional put is the whole idempotency. */
export function runIdFor(namespace: string, externalId: string): string {
  const hash = createHash('sha256').update(`${namespace}#${externalId}`, 'utf8').digest();
  hash[6] = (hash[6]! & 0x0f) | 0x80;
  hash[8] = (hash[8]! & 0x3f) | 0x80;
  const hex = hash.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`;
}

/** Stable over attempts, workers and replays; differs between steps and between incarnations. */
export const idempotencyKey = (runId: string, incarnation: string, stepId: string): string =>
  createHash('sha256').update(`${runId}#${incarnation}#${stepId}`, 'utf8').digest('base64url').slice(0, 32);

export const digest = (text: string): string =>
  createHash('sha256').update(text, 'utf8').digest('base64url').slice(0, 16);

/** FNV-1a: spreads keys over shards; the number of shards only grows. */
export function shardOf(id: string, shards: number): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < id.length; i++) hash = Math.imul(hash ^ id.charCodeAt(i), 0x01000193) >>> 0;
  return hash % shards;
}
