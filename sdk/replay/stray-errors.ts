import type { LogSink } from './log-sink.ts';
import type { TellError } from './tell-error.ts';

/** What an error was thrown into: the call, and the log of its run. */
interface Origin {
  readonly what: string;
  readonly log: LogSink;
  readonly tellError: TellError;
}

/** Errors that workflow code got from its context: wherever one turns up, it is known whose it is. */
const origins = new WeakMap<object, Origin>();

export function noteOrigin(error: unknown, origin: Origin): void {
  if (typeof error === 'object' && error !== null) origins.set(error, origin);
}

const NOT_FATAL = /--unhandled-rejections[= ](warn|none)/;
const isFatal = (): boolean => !NOT_FATAL.test([...process.execArgv, process.env['NODE_OPTIONS'] ?? ''].join(' '));

/**
 * An async function of the author that fails with the error of a step before anybody awaits it would end the process,
 * and the next one that claims the run: such an error is told in the log instead. Others go the way they went before.
 */
function onRejection(reason: unknown): void {
  const origin = typeof reason === 'object' && reason !== null ? origins.get(reason) : undefined;
  if (origin !== undefined) {
    origin.log('warn', `${origin.what} failed, and what depends on it was not awaited`, origin.tellError(reason));
  } else if (process.listenerCount('unhandledRejection') === 1 && isFatal()) {
    throw reason;
  }
}

let guards = 0;

/** Listens until the function it answers is called. */
export function guardStrayErrors(): () => void {
  guards += 1;
  if (guards === 1) process.on('unhandledRejection', onRejection);
  let released = false;
  return () => {
    if (released) return;
    released = true;
    guards -= 1;
    if (guards === 0) process.off('unhandledRejection', onRejection);
  };
}
