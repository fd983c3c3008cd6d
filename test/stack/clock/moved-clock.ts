import { createRequire, syncBuiltinESMExports } from 'node:module';
import { promisify } from 'node:util';
import { MovableTimer, real } from './movable-timer.ts';

type Timers = typeof import('node:timers');
type TimerPromises = typeof import('node:timers/promises');
type Callback = (...args: unknown[]) => void;

const MAX_DELAY_MS = 2 ** 31 - 1;
let aheadMs = 0;
let uninstall: (() => void) | null = null;

/** As Node takes it: what is no length of time is one millisecond. */
const delayOf = (ms: number | undefined): number => (ms !== undefined && ms >= 1 && ms <= MAX_DELAY_MS ? ms : 1);

const setMovedTimeout = (callback: Callback, ms?: number, ...args: unknown[]): MovableTimer =>
  new MovableTimer(() => callback(...args), delayOf(ms), false);
const setMovedInterval = (callback: Callback, ms?: number, ...args: unknown[]): MovableTimer =>
  new MovableTimer(() => callback(...args), delayOf(ms), true);

function clear(timer: unknown): void {
  if (timer instanceof MovableTimer) timer.close();
  else real.clearTimeout(timer as NodeJS.Timeout);
}

function pause<T>(
  ms?: number,
  value?: T,
  options: { readonly signal?: AbortSignal; readonly ref?: boolean } = {},
): Promise<T | undefined> {
  const { signal, ref = true } = options;
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      timer.close();
      reject(new DOMException('The operation was aborted', { name: 'AbortError', cause: signal?.reason as unknown }));
    };
    const timer = setMovedTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve(value);
    }, ms);
    if (!ref) timer.unref();
    if (signal?.aborted === true) return stop();
    signal?.addEventListener('abort', stop, { once: true });
  });
}

const MovedDate = new Proxy(real.Date, {
  construct: (target, args: unknown[], newTarget) =>
    Reflect.construct(target, args.length === 0 ? [movedNow()] : args, newTarget) as object,
  apply: () => new real.Date(movedNow()).toString(),
  get: (target, name, receiver) => (name === 'now' ? movedNow : (Reflect.get(target, name, receiver) as unknown)),
});

const movedNow = (): number => real.now() + aheadMs;

/** From now on the time of this process, of its timers too, is the real one and what it was moved by. */
export function installClock(ahead: number): void {
  aheadMs = ahead;
  if (uninstall !== null) return;
  const require = createRequire(import.meta.url);
  const [timers, promises] = [require('node:timers') as Timers, require('node:timers/promises') as TimerPromises];
  const moved = {
    setTimeout: Object.assign(setMovedTimeout, { [promisify.custom]: pause }),
    clearTimeout: clear,
    setInterval: setMovedInterval,
    clearInterval: clear,
  };
  const [before, beforeModule, beforePause] = [pick(globalThis), pick(timers), promises.setTimeout];
  const give = (functions: object, date: DateConstructor, monotonic: () => number, paused: unknown): void => {
    Object.assign(globalThis, functions, { Date: date });
    Object.assign(timers, functions === moved ? moved : beforeModule);
    Object.assign(promises, { setTimeout: paused });
    performance.now = monotonic;
    syncBuiltinESMExports();
  };
  give(moved, MovedDate, () => real.monotonic() + aheadMs, pause);
  uninstall = () => give(before, real.Date, real.monotonic, beforePause);
}

export function uninstallClock(): void {
  uninstall?.();
  MovableTimer.unrefAll();
  uninstall = null;
  aheadMs = 0;
}

/** Timers that it makes due fire in a moment. */
export function moveClock(ms: number): void {
  aheadMs += ms;
  MovableTimer.moveAll(ms);
}

export const clockAhead = (): number => aheadMs;

const pick = ({ setTimeout, clearTimeout, setInterval, clearInterval }: Timers | typeof globalThis) => ({
  setTimeout,
  clearTimeout,
  setInterval,
  clearInterval,
});
