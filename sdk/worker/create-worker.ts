import type { Engine } from '../../shared/store/engine.ts';
import {
  type Checks,
  checkOptions,
  isDuration,
  isFlag,
  isFunction,
  isList,
  isName,
  isRecord,
  isText,
  isWholeNumber,
  named,
} from '../check-options.ts';
import { CONNECTION } from '../client/connection-checks.ts';
import type { AnyWorkflow } from '../context.ts';
import type { LogSink } from '../replay/log-sink.ts';
import { type RunningWorker, startEmbeddedWorker } from './embedded-worker.ts';
import { type LambdaHandler, lambdaHandler, type OpenedEngine } from './lambda-worker.ts';
import { type PollingWorker, type PollOptions, startPollWorker } from './poll-worker.ts';
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
  /** Whether messages of errors go to the log, too. They can carry what is in payloads: codes only, if not. */
  readonly logErrors?: boolean;
}

export interface Worker {
  /** Inside the process of an embedded engine. */
  embedded(engine: Engine): RunningWorker;
  /**
   * A handler for Lambda with an SQS trigger that reports batch item failures. Its engine is the one that the stack's
   * environment variables describe, unless another is given.
   */
  lambda(options?: { readonly engine: () => Engine | Promise<Engine> }): LambdaHandler;
  /** A process of its own that serves an engine over its HTTP API, from anywhere. */
  poll(options: PollOptions): PollingWorker;
}

const isLimit = isWholeNumber(1, 10_000);
const OPTIONS: Checks<WorkerOptions> = {
  workflows: isList,
  taskQueue: isName('taskQueue'),
  namespace: isName('namespace'),
  maxConcurrent: isLimit,
  log: isFunction,
  logErrors: isFlag,
};
const POLL_OPTIONS: Checks<PollOptions> = {
  ...CONNECTION,
  maxConcurrent: isLimit,
  workflowTypeConcurrency(value) {
    isRecord(value);
    for (const [type, limit] of Object.entries(value as object)) named(type, () => isLimit(limit));
  },
  name: isText,
  labels: isRecord,
  version: isText,
  signals: isFlag,
  drainTimeout: isDuration,
};

/** Loaded where it is used only: nobody else needs the AWS SDK. */
async function openFromEnvironment(): Promise<OpenedEngine> {
  const { composeEngine } = await import('../../functions/compose-engine.ts');
  return composeEngine(process.env);
}

/** There the time before the first event is the time to load, and to fail if the environment is wrong. */
const isInLambda = (): boolean => process.env['AWS_LAMBDA_FUNCTION_NAME'] !== undefined;

const consoleLog: LogSink = (level, message, fields) => {
  console[level](JSON.stringify({ time: new Date().toISOString(), level, message, ...fields }));
};

export function createWorker(options: WorkerOptions): Worker {
  checkOptions('createWorker', options ?? {}, OPTIONS);
  const registry = new Registry(options?.workflows ?? []);
  const { taskQueue = 'default', namespace = 'default', maxConcurrent = 10 } = options;
  const { log = consoleLog, logErrors = false } = options;
  const common = { registry, log, logErrors };
  return {
    embedded: (engine) => startEmbeddedWorker({ ...common, engine, namespace, taskQueue, maxConcurrent }),
    lambda: (given) =>
      given === undefined
        ? lambdaHandler({ open: openFromEnvironment, eager: isInLambda(), ...common })
        : lambdaHandler({ open: async () => ({ engine: await given.engine() }), ...common }),
    poll(polling) {
      checkOptions('poll', polling, POLL_OPTIONS);
      return startPollWorker({ namespace, maxConcurrent, ...polling, ...common, taskQueue });
    },
  };
}
