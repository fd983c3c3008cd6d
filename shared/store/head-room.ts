import type { RetryPolicy } from '../model/retry-policy.ts';
import type { Parent } from '../model/run.ts';

/** What a head holds besides what is counted below, in bytes: keys, index keys, times, lease, counters. */
const FIXED_BYTES = 480;
const HEAD_BYTES = 1024;
const MAX_INLINE_BYTES = 256;

interface HeadTexts {
  readonly namespace: string;
  readonly workflowType: string;
  readonly version: string;
  readonly taskQueue: string;
  readonly externalId: string | null;
  readonly scheduleId: string | null;
  readonly parent: Parent | null;
  readonly retryPolicy: RetryPolicy | null;
}

/** How large an input, or an output, may be to lie in the head: the two share what the rest leaves of its kilobyte. */
export function headRoom(run: HeadTexts): number {
  const texts = [
    run.namespace,
    run.workflowType,
    run.version,
    run.taskQueue,
    run.externalId,
    run.scheduleId,
    run.parent && JSON.stringify(run.parent),
    run.retryPolicy && JSON.stringify(run.retryPolicy),
  ];
  const taken = texts.reduce((sum, text) => sum + Buffer.byteLength(text ?? '', 'utf8'), FIXED_BYTES);
  return Math.max(0, Math.min(MAX_INLINE_BYTES, Math.floor((HEAD_BYTES - taken) / 2)));
}
