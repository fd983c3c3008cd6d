import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { Step } from '../model/step.ts';
import type { Value } from '../ports/table.ts';
import { decodeStep, encodeStep } from './step-item.ts';

const STEPS_PER_CHUNK = 1_000;
const MAX_CHUNK_BYTES = 300 * 1024;

type EncodedStep = Record<string, Value>;

/** Deflated, each small enough for an item. */
export function encodeChunks(steps: readonly Step[]): Uint8Array[] {
  const encoded = steps.map(encodeStep);
  const chunks: Uint8Array[] = [];
  for (let start = 0; start < encoded.length; start += STEPS_PER_CHUNK) {
    chunks.push(...deflate(encoded.slice(start, start + STEPS_PER_CHUNK)));
  }
  return chunks;
}

function deflate(steps: readonly EncodedStep[]): Uint8Array[] {
  const bytes = new Uint8Array(deflateRawSync(JSON.stringify(steps, tagBytes)));
  if (bytes.length <= MAX_CHUNK_BYTES || steps.length === 1) return [bytes];
  const half = Math.ceil(steps.length / 2);
  return [...deflate(steps.slice(0, half)), ...deflate(steps.slice(half))];
}

/** `heapBytes` is about what the steps take in memory: much more than their chunk. */
export function decodeChunk(bytes: Uint8Array): { readonly steps: Step[]; readonly heapBytes: number } {
  const text = inflateRawSync(bytes).toString('utf8');
  const steps = (JSON.parse(text, untagBytes) as EncodedStep[]).map(decodeStep);
  return { steps, heapBytes: text.length * 2 + steps.length * 500 };
}

/** Only payloads are bytes, and only ever as a whole attribute; texts and references have no such form. */
const tagBytes = (_key: string, value: unknown): unknown =>
  value instanceof Uint8Array ? { $bytes: Buffer.from(value).toString('base64') } : value;
const untagBytes = (_key: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && typeof (value as { $bytes?: unknown }).$bytes === 'string'
    ? new Uint8Array(Buffer.from((value as { $bytes: string }).$bytes, 'base64'))
    : value;
