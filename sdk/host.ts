import { hostname } from 'node:os';
import type { Clock } from '../shared/ports/clock.ts';
import { SystemClock } from '../shared/system/system-clock.ts';

/** What a client or a worker over HTTP knows of the process it lives in. */
export interface Host {
  readonly name: string;
  readonly pid: number;
  readonly clock: Clock;
  /** In [0, 1), for jitter. */
  random(): number;
}

export const thisHost: Host = {
  name: hostname(),
  pid: process.pid,
  clock: new SystemClock(),
  random: () => Math.random(),
};

/** Aborted after so long; `done` lets the timer go. */
export function timeoutSignal(
  { clock }: Host,
  ms: number,
): { readonly signal: AbortSignal; readonly done: () => void } {
  const reached = new AbortController();
  const done = new AbortController();
  void clock.sleep(ms, done.signal).then(
    () => reached.abort(new DOMException(`no answer within ${ms} ms`, 'TimeoutError')),
    () => undefined,
  );
  return { signal: reached.signal, done: () => done.abort() };
}
