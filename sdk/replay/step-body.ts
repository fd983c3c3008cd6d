import { AsyncLocalStorage } from 'node:async_hooks';

interface Body {
  /** The execution whose step it is. */
  readonly of: object;
  readonly step: string;
}

const running = new AsyncLocalStorage<Body>();

/** Runs a step's body so that what it calls can tell where it is. */
export const runBody = <T>(of: object, step: string, body: () => T): T => running.run({ of, step }, body);

/** The step of this execution in whose body the caller is. */
export function enclosingStep(of: object): string | null {
  const body = running.getStore();
  return body?.of === of ? body.step : null;
}
