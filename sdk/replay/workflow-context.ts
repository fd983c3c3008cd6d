import { createHash } from 'node:crypto';
import { durationMs, MAX_DURATION_MS } from '../../shared/model/duration.ts';
import type {
  AnyWorkflow,
  Branch,
  ChildHandle,
  ChildOptions,
  LogFields,
  MapOptions,
  ParallelOptions,
  RunInfo,
  StepBody,
  StepOptions,
  WorkflowContext,
  WorkflowLog,
} from '../context.ts';
import { childOperation } from './child-operation.ts';
import type { Execution } from './execution.ts';
import type { LogSink, Operation, Settle } from './operation.ts';
import { Scope } from './scope.ts';
import { sleepOperation } from './sleep-operation.ts';
import { stepOperation } from './step-operation.ts';

type Branches = readonly Branch<unknown>[] | Readonly<Record<string, Branch<unknown>>>;
type AnyBody = (item: unknown, ctx: WorkflowContext, index: number) => unknown;

/** What the author's code gets: each call asks the execution for one operation. */
export class ReplayContext {
  readonly log: WorkflowLog;
  readonly #asked = new Set<Operation>();
  readonly #children = new Set<ReplayContext>();

  constructor(
    private readonly execution: Execution,
    private readonly sink: LogSink,
    private readonly scope: Scope = new Scope(),
    private readonly draws: { count: number } = { count: 0 },
  ) {
    this.log = replayLog(execution, sink);
  }

  get run(): RunInfo {
    return this.execution.parts.journal.run;
  }

  step(id: string, body: StepBody<unknown>, options: StepOptions = {}): Promise<unknown> {
    return this.#ask('FUNCTION', id, (asked, settle) =>
      stepOperation(this.execution, this.sink, asked, settle, { id, body, options }),
    );
  }

  sleep(id: string, duration: number | string): Promise<unknown> {
    const ms = durationMs(duration);
    return this.#ask('SLEEP', id, (asked, settle) => sleepOperation(this.execution, asked, settle, { afterMs: ms }));
  }

  sleepUntil(id: string, time: Date | number | string): Promise<unknown> {
    const until = new Date(time).getTime();
    if (!(until - this.execution.now <= MAX_DURATION_MS)) {
      throw new RangeError(`${JSON.stringify(time)} is no time to sleep until: give one within 100 years`);
    }
    return this.#ask('SLEEP', id, (asked, settle) => sleepOperation(this.execution, asked, settle, { until }));
  }

  async start(
    id: string,
    workflow: AnyWorkflow,
    input: unknown,
    options: ChildOptions = {},
  ): Promise<ChildHandle<unknown>> {
    let runId = '';
    const result = this.#ask('CHILD_WORKFLOW', id, (asked, settle) => {
      const child = childOperation(this.execution, asked, settle, { id, workflow, input, options });
      runId = child.runId;
      return child.operation;
    });
    // Whether anybody asks for the result is the author's business.
    result.catch(() => undefined);
    return { runId, result: () => result };
  }

  async call(id: string, workflow: AnyWorkflow, input: unknown, options: ChildOptions = {}): Promise<unknown> {
    return (await this.start(id, workflow, input, options)).result();
  }

  async parallel(branches: Branches, options: ParallelOptions = {}): Promise<unknown> {
    const names = Object.keys(branches);
    const contexts = this.#branches('parallel', names);
    const started = Object.values(branches).map((branch, index) => invoke(branch, contexts[index] as ReplayContext));
    const results = await join(started, options.mode);
    return Array.isArray(branches) ? results : Object.fromEntries(names.map((name, index) => [name, results[index]]));
  }

  async map(items: Iterable<unknown>, body: AnyBody, options: MapOptions = {}): Promise<unknown[]> {
    const all = [...items];
    const contexts = this.#branches(
      options.id ?? 'map',
      all.map((_, index) => index),
    );
    const limit = options.concurrency ?? Math.max(1, all.length);
    if (!Number.isInteger(limit) || limit < 1) {
      throw new RangeError(`a concurrency of ${limit}: give a whole number from 1`);
    }
    const bodies = all.map(
      (item, index) => async (): Promise<unknown> => body(item, asContext(contexts[index] as ReplayContext), index),
    );
    return options.mode === 'collect-all' ? inLanes(bodies.map(settling), limit) : inLanes(bodies, limit);
  }

  async race(branches: Branches): Promise<unknown> {
    const names = Object.keys(branches);
    const contexts = this.#branches('race', names);
    const started = Object.values(branches).map((branch, index) => invoke(branch, contexts[index] as ReplayContext));
    for (const promise of started) promise.catch(() => undefined);
    const marked = started.map(async (promise, index) => ({ index, value: await promise }));
    try {
      const { index, value } = await Promise.race(marked);
      return Array.isArray(branches) ? value : { winner: names[index], value };
    } finally {
      for (const context of contexts) context.#abandon();
    }
  }

  now(): Date {
    return new Date(this.execution.now);
  }

  random(): number {
    return this.#draw().readUIntBE(0, 6) / 2 ** 48;
  }

  uuid(): string {
    const bytes = this.#draw();
    bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
    bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
    const hex = bytes.toString('hex');
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`;
  }

  /** From the run's own randomness, which its start recorded: nothing needs to be written for it. */
  #draw(): Buffer {
    const { runId } = this.run;
    const { incarnation } = this.execution.parts.journal;
    return createHash('sha256')
      .update(`${runId}#${incarnation}#draw#${this.draws.count++}`)
      .digest();
  }

  #branches(id: string, names: readonly (string | number)[]): ReplayContext[] {
    const scopeOf = this.scope.branches(id);
    return names.map((name) => {
      const context = new ReplayContext(this.execution, this.sink, scopeOf(name), this.draws);
      this.#children.add(context);
      return context;
    });
  }

  #ask(
    kind: Operation['kind'],
    id: string,
    make: (asked: Parameters<Parameters<Execution['ask']>[3]>[0], settle: Settle) => Operation,
  ): Promise<unknown> {
    const key = this.scope.key(id);
    return new Promise((resolve, reject) => {
      this.execution.ask(kind, key, this.scope.group, (asked) => {
        const operation = make(asked, {
          resolve: (value) => {
            this.#asked.delete(operation);
            resolve(value);
          },
          reject: (error) => {
            this.#asked.delete(operation);
            reject(error);
          },
        });
        this.#asked.add(operation);
        return operation;
      });
    });
  }

  #abandon(): void {
    for (const operation of this.#asked) this.execution.abandon(operation);
    for (const context of this.#children) context.#abandon();
  }
}

/** The types of the interface say more than a class can: what a step returns, what a branch gives. */
export const asContext = (context: ReplayContext): WorkflowContext => context as unknown as WorkflowContext;

const invoke = async (branch: Branch<unknown>, context: ReplayContext): Promise<unknown> => branch(asContext(context));

function join(promises: readonly Promise<unknown>[], mode: ParallelOptions['mode']): Promise<unknown[]> {
  return mode === 'collect-all' ? Promise.allSettled(promises) : Promise.all(promises);
}

function replayLog(execution: Execution, sink: LogSink): WorkflowLog {
  const at =
    (level: Parameters<LogSink>[0]) =>
    (message: string, fields: LogFields = {}): void => {
      if (!execution.isReplaying) sink(level, message, fields);
    };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

const settling = (body: () => Promise<unknown>) => (): Promise<PromiseSettledResult<unknown>> =>
  body().then(
    (value) => ({ status: 'fulfilled', value }),
    (reason: unknown) => ({ status: 'rejected', reason }),
  );

/** So many at a time; the next one begins when any has ended. None begins after one has failed. */
async function inLanes(bodies: readonly (() => Promise<unknown>)[], limit: number): Promise<unknown[]> {
  const results: unknown[] = [];
  let next = 0;
  let failed = false;
  const lane = async (): Promise<void> => {
    while (next < bodies.length && !failed) {
      const index = next++;
      try {
        results[index] = await bodies[index]?.();
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, bodies.length) }, lane));
  return results;
}
