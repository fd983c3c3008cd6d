import { createHash } from 'node:crypto';

/** A run's id under an external id: the same for every caller, so that one conditional put is the whole idempotency. */
export const runIdFor = (namespace: string, externalId: string): string => uuidOf(`${namespace}#${externalId}`);

/** A child's id is its place in the parent: starting it again finds it. No namespace is empty, so it equals no id above. */
export const childRunId = (namespace: string, parent: { runId: string; incarnation: string; stepId: string }): string =>
  uuidOf(`#child#${namespace}#${parent.runId}#${parent.incarnation}#${parent.stepId}`);

/** The id of a run that a caller started without an external id, but so that it can ask again. */
export const requestedRunId = (namespace: string, requestId: string): string =>
  uuidOf(`#request#${namespace}#${requestId}`);

/** UUID v8: a hash, not a time. */
function uuidOf(text: string): string {
  const hash = createHash('sha256').update(text, 'utf8').digest();
  hash.writeUInt8((hash.readUInt8(6) & 0x0f) | 0x80, 6);
  hash.writeUInt8((hash.readUInt8(8) & 0x3f) | 0x80, 8);
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
