import type { Duration } from '../shared/model/duration.ts';
import type { RetryIf } from './error-kind.ts';
import type { Retry } from './retry.ts';
import type { StandardSchema } from './standard-schema.ts';

export type LogFields = Readonly<Record<string, string | number | boolean | null>>;

export interface WorkflowLog {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

/** What a step's body gets. */
export interface StepInfo {
  /** The same for every attempt of this step, on whatever worker: hand it to what the body calls. */
  readonly idempotencyKey: string;
  /** 1 is the first. */
  readonly attempt: number;
  /** Aborted when the step times out, the run is cancelled or the worker has lost it. */
  readonly signal: AbortSignal;
  readonly log: WorkflowLog;
  /** The trace that the run goes back to, as a header for what the body calls; null outside Lambda, or if there is none. */
  readonly traceparent: string | null;
}

export interface StepOptions {
  readonly retry?: Retry;
  readonly retryIf?: RetryIf;
  /** Of one attempt. */
  readonly timeout?: Duration;
  /** The body is started once at most; if its worker dies over it, the step fails with StepInterruptedError. */
  readonly atMostOnce?: boolean;
}

export type StepBody<T> = (step: StepInfo) => T | Promise<T>;

export interface ChildOptions {
  readonly externalId?: string;
  readonly taskQueue?: string;
  readonly version?: string;
  readonly retry?: Retry;
}

export interface ChildHandle<Output> {
  readonly runId: string;
  /** The run suspends and is woken by the child's end; ChildFailedError if that was no success. */
  result(): Promise<Output>;
}

/** A branch has a context of its own, in which its step ids stand by themselves. */
export type Branch<T> = (ctx: WorkflowContext) => Promise<T> | T;

export interface ParallelOptions {
  /** `fail-fast` throws the first error; `collect-all` waits for every branch and answers what became of each. */
  readonly mode?: 'fail-fast' | 'collect-all';
}

export interface MapOptions extends ParallelOptions {
  /** How many items at a time; all at once if not given. */
  readonly concurrency?: number;
  /** What the steps inside are named after; `map` if not given. */
  readonly id?: string;
}

export interface RunInfo {
  readonly namespace: string;
  readonly runId: string;
  readonly workflowType: string;
  readonly version: string;
  readonly taskQueue: string;
  readonly externalId: string | null;
  /** If a schedule has started it, which one, and for what time: that may be long before it runs. */
  readonly scheduleId: string | null;
  readonly fireAt: Date | null;
  readonly parentRunId: string | null;
  /** 1 is the first start of the workflow function. */
  readonly attempt: number;
  readonly createdAt: Date;
}

type Settled<T> = { [K in keyof T]: PromiseSettledResult<T[K]> };
type Branches<T> = { [K in keyof T]: Branch<T[K]> };

/** What a workflow function works with. Everything it learns through it is recorded, and the same on replay. */
export interface WorkflowContext {
  readonly run: RunInfo;
  /** Silent while recorded history is replayed. */
  readonly log: WorkflowLog;

  step<T>(this: void, id: string, body: StepBody<T>, options?: StepOptions): Promise<T>;

  sleep(this: void, id: string, duration: Duration): Promise<void>;
  sleepUntil(this: void, id: string, time: Date | number | string): Promise<void>;

  parallel<const T extends readonly unknown[]>(
    this: void,
    branches: readonly [...Branches<T>],
    options: ParallelOptions & { readonly mode: 'collect-all' },
  ): Promise<Settled<T>>;
  parallel<const T extends readonly unknown[]>(
    this: void,
    branches: readonly [...Branches<T>],
    options?: ParallelOptions,
  ): Promise<{ -readonly [K in keyof T]: T[K] }>;
  parallel<T extends Record<string, unknown>>(
    this: void,
    branches: Branches<T>,
    options: ParallelOptions & { readonly mode: 'collect-all' },
  ): Promise<Settled<T>>;
  parallel<T extends Record<string, unknown>>(this: void, branches: Branches<T>, options?: ParallelOptions): Promise<T>;

  map<Item, T>(
    this: void,
    items: Iterable<Item>,
    body: (item: Item, ctx: WorkflowContext, index: number) => Promise<T> | T,
    options: MapOptions & { readonly mode: 'collect-all' },
  ): Promise<PromiseSettledResult<T>[]>;
  map<Item, T>(
    this: void,
    items: Iterable<Item>,
    body: (item: Item, ctx: WorkflowContext, index: number) => Promise<T> | T,
    options?: MapOptions,
  ): Promise<T[]>;

  /**
   * The first branch to end decides. The others are told by their signals, children they `call` are cancelled, and
   * their results are dropped; what they `start`ed goes on.
   */
  race<const T extends readonly unknown[]>(this: void, branches: readonly [...Branches<T>]): Promise<T[number]>;
  race<T extends Record<string, unknown>>(
    this: void,
    branches: Branches<T>,
  ): Promise<{ [K in keyof T]: { readonly winner: K; readonly value: T[K] } }[keyof T]>;

  /**
   * Starts a run that is linked to this one: it is cancelled if this one fails or is cancelled, and goes on if this one
   * completes. It exists before any step begins that is asked for after it, and before this run ends.
   */
  start<W extends AnyWorkflow>(
    this: void,
    id: string,
    workflow: W,
    input: InputOf<W>,
    options?: ChildOptions,
  ): Promise<ChildHandle<OutputOf<W>>>;
  /** Starts it and waits for its result. */
  call<W extends AnyWorkflow>(
    this: void,
    id: string,
    workflow: W,
    input: InputOf<W>,
    options?: ChildOptions,
  ): Promise<OutputOf<W>>;

  /** The time of the last thing that happened to the run: it stands still while the code runs, and is the same on replay. */
  now(this: void): Date;
  /** In [0, 1), the same on replay. */
  random(this: void): number;
  /** The same on replay, different in every run. */
  uuid(this: void): string;
}

/** An error class that steps throw and the workflow looks for: it is rebuilt on replay. */
export type ErrorClass = abstract new (...given: never[]) => Error;

export type WorkflowFunction<Input, Output> = (ctx: WorkflowContext, input: Input) => Promise<Output>;

/** `Given` is what callers pass, `Input` what the function gets: they differ where a schema transforms. */
export interface Workflow<Given = unknown, Output = unknown, Input = Given, Type extends string = string> {
  readonly type: Type;
  readonly version: string;
  readonly retry: Retry | undefined;
  readonly timeoutMs: number | undefined;
  readonly errors: readonly ErrorClass[];
  readonly example: unknown;
  readonly schema: StandardSchema<Given, Input> | undefined;
  readonly run: WorkflowFunction<Input, Output>;
}

// biome-ignore lint/suspicious/noExplicitAny: a list of workflows holds any inputs; each is checked where it is used
export type AnyWorkflow = Workflow<any, any, any>;
export type InputOf<W> = W extends Workflow<infer Given, infer _Output, infer _Input> ? Given : never;
export type OutputOf<W> = W extends Workflow<infer _Given, infer Output, infer _Input> ? Output : never;
