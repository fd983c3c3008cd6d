import { readFileSync } from 'node:fs';
import type { Context } from '../template/synthesise.ts';

type Environment = Readonly<Record<string, unknown>> & { readonly taskQueues: Readonly<Record<string, unknown>> };

/** The queue that is served over HTTP: the worker function serves `default`. */
export const POLLED_QUEUE = 'polled';

/** Told of each run's end. */
export const EVENT_BUS = 'default';

/** The environment `dev` of cdk.json with one task queue and a bus more, and another way to prove who calls if one is given. */
export function e2eContext(auth?: Readonly<Record<string, unknown>>): Context {
  const { context } = JSON.parse(readFileSync(new URL('../../../cdk.json', import.meta.url), 'utf8')) as {
    readonly context: { readonly environments: Readonly<Record<string, Environment>> };
  };
  const { dev } = context.environments;
  if (dev === undefined) throw new Error('cdk.json has no environment dev');
  const taskQueues = { ...dev.taskQueues, [POLLED_QUEUE]: { workerTimeoutSecs: 60 } };
  const more = { taskQueues, eventBus: EVENT_BUS, ...(auth === undefined ? {} : { auth }) };
  return { env: 'dev', environments: { dev: { ...dev, ...more } } };
}
