import type { Engine } from '../../shared/store/engine.ts';
import type { AnyWorkflow } from '../context.ts';
import type { LogSink } from '../replay/operation.ts';
import { type RunningWorker, startEmbeddedWorker } from './embedded-worker.ts';
import { type LambdaHandler, lambdaHandler } from './lambda-worker.ts';
import { Registry } from './registry.ts';

export interface WorkerOptions {
  /** Several versions of one type may stand side by side: runs stay on the one they were started with. */
  readonly workflows: readonly AnyWorkflow[];
  readonly taskQueue?: string;
  readonly namespace?: string;
  /** Runs at a time. */
  readonly maxConcurrent?: number;
  /** Where `ctx.log` and step logs go; the console, as JSON, if not given. */
  readonly log?: LogSink;
}

export interface Worker {
  /** Inside the process of an embedded engine. */
  embedded(engine: Engine): RunningWorker;
  /** A handler for Lambda with an SQS trigger that reports batch item failures. */
  lambda(options: { readonly engine: () => Engine | Promise<Engine> }): LambdaHandler;
}

const MAX_CONCURRENT = 10_000;

const consoleLog: LogSink = (level, message, fields) => {
  console[level](JSON.stringify({ time: new Date().toISOString(), level, message, ...fields }));
};

export function createWorker(options: WorkerOptions): Worker {
  const registry = new Registry(options.workflows);
  const { taskQueue = 'default', namespace = 'default', maxConcurrent = 10, log = consoleLog } = options;
  if (!Number.isInteger(maxConcurrent) || maxConcurrent < 1 || maxConcurrent > MAX_CONCURRENT) {
    throw new RangeError(`maxConcurrent is ${maxConcurrent}: give a whole number from 1 to ${MAX_CONCURRENT}`);
  }
  return {
    embedded: (engine) => startEmbeddedWorker({ engine, registry, namespace, taskQueue, maxConcurrent, log }),
    lambda: ({ engine }) => lambdaHandler({ engine, registry, log }),
  };
}
