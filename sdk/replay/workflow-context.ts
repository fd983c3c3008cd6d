import { createHash } from 'node:crypto';
import { durationMs, MAX_DURATION_MS } from '../../shared/model/duration.ts';
import { InvalidArgumentError, shown } from '../check-options.ts';
import type {
  AnyWorkflow,
  Branch,
  ChildHandle,
  ChildOptions,
  MapOptions,
  ParallelOptions,
  RunInfo,
  StepBody,
  StepOptions,
  WorkflowContext,
  WorkflowLog,
} from '../context.ts';
import { encodeValue } from '../values.ts';
import { type Asking, authorContext } from './author-context.ts';
import { childOperation } from './child-operation.ts';
import type { CodeWatch } from './code-watch.ts';
import type { Asked, Execution } from './execution.ts';
import { HandedOut } from './handed-out.ts';
import { workflowLog } from './log-sink.ts';
import type { Operation, Settle } from './operation.ts';
import { Scope } from './scope.ts';
import { sleepOperation } from './sleep-operation.ts';
import { NO_OPTIONS, StepOperation } from './step-operation.ts';

type Branches = readonly Branch<unknown>[] | Readonly<Record<string, Branch<unknown>>>;
type MapBody = (item: unknown, ctx: WorkflowContext, index: number) => unknown;

interface Made {
  readonly operation: Operation;
  /** It goes on even if the branch that asked for it loses. */
  readonly isDetached?: boolean;
}

/** What stands behind the author's context: each call asks the execution for one operation. Arguments are checked before. */
export class ReplayContext implements Asking {
  readonly log: WorkflowLog;
  readonly #asked = new Set<Operation>();
  readonly #children = new Set<ReplayContext>();

  constructor(
    private readonly execution: Execution,
    private readonly scope: Scope = new Scope(),
    private readonly draws: { count: number } = { count: 0 },
    /** A branch of a race, or in one. */
    private readonly mayLose = false,
  ) {
    this.log = workflowLog(execution.parts.log, () => execution.isReplaying);
  }

  get watch(): CodeWatch {
    return this.execution.watch;
  }

  get run(): RunInfo {
    return this.execution.parts.journal.run;
  }

  step(id: string, body: StepBody<unknown>, options: StepOptions = NO_OPTIONS): Promise<unknown> {
    return this.#ask('FUNCTION', id, (asked, settle) => ({
      operation: new StepOperation(this.execution, asked, settle, { id, body, options }),
    }));
  }

  sleep(id: string, duration: number | string): Promise<unknown> {
    const ms = durationMs(duration);
    return this.#ask('SLEEP', id, (asked, settle) => ({
      operation: sleepOperation(this.execution, asked, settle, { afterMs: ms }),
    }));
  }

  sleepUntil(id: string, time: Date | number | string): Promise<unknown> {
    const until = new Date(time).getTime();
    if (!(until - this.execution.now <= MAX_DURATION_MS)) {
      throw new InvalidArgumentError(`ctx.sleepUntil "${id}": ${shown(time)} is no time within 100 years`);
    }
    return this.#ask('SLEEP', id, (asked, settle) => ({
      operation: sleepOperation(this.execution, asked, settle, { until }),
    }));
  }

  async start(
    id: string,
    workflow: AnyWorkflow,
    input: unknown,
    options: ChildOptions = {},
  ): Promise<ChildHandle<unknown>> {
    const encoded = encodeValue(input, `input of child "${id}"`);
    let runId = '';
    const ended = this.#ask('CHILD_WORKFLOW', id, (asked, settle) => {
      const child = childOperation(this.execution, asked, settle, { id, workflow, input: encoded, options });
      runId = child.runId;
      return { operation: child.operation, isDetached: true };
    });
    const result = ended.then((output) => output);
    // Whether anybody asks for the result is the author's business.
    result.catch(() => undefined);
    return { runId, result: () => this.watch.handOut(`child "${id}"`, result) };
  }

  async call(id: string, workflow: AnyWorkflow, input: unknown, options: ChildOptions = {}): Promise<unknown> {
    const encoded = encodeValue(input, `input of child "${id}"`);
    return this.#ask('CHILD_WORKFLOW', id, (asked, settle) =>
      childOperation(this.execution, asked, settle, { id, workflow, input: encoded, options }),
    );
  }

  async parallel(branches: Branches, options: ParallelOptions = {}): Promise<unknown> {
    const names = Object.keys(branches);
    const contexts = this.#branches('parallel', names);
    const started = Object.values(branches).map((branch, index) => invoke(branch, contexts[index] as ReplayContext));
    const results = await join(started, options.mode);
    return Array.isArray(branches) ? results : Object.fromEntries(names.map((name, index) => [name, results[index]]));
  }

  async map(items: Iterable<unknown>, body: MapBody, options: MapOptions = {}): Promise<unknown[]> {
    const all = [...items];
    const contexts = this.#branches(
      options.id ?? 'map',
      all.map((_, index) => index),
    );
    const limit = options.concurrency ?? Math.max(1, all.length);
    const bodies = all.map(
      (item, index) => async (): Promise<unknown> => body(item, authorContext(contexts[index] as ReplayContext), index),
    );
    return options.mode === 'collect-all' ? inLanes(bodies.map(settling), limit) : inLanes(bodies, limit);
  }

  async race(branches: Branches): Promise<unknown> {
    const names = Object.keys(branches);
    const contexts = this.#branches('race', names, true);
    const started = Object.values(branches).map((branch, index) => invoke(branch, contexts[index] as ReplayContext));
    for (const promise of started) promise.catch(() => undefined);
    const marked = started.map((promise, index) =>
      promise.then(
        (value) => ({ index, value }),
        (error: unknown) => ({ index, error }),
      ),
    );
    const first = await Promise.race(marked);
    for (const [index, context] of contexts.entries()) if (index !== first.index) context.#abandon();
    if ('error' in first) throw first.error;
    return Array.isArray(branches) ? first.value : { winner: names[first.index], value: first.value };
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

  #branches(id: string, names: readonly (string | number)[], mayLose = this.mayLose): ReplayContext[] {
    const scopeOf = this.scope.branches(id);
    return names.map((name) => {
      const context = new ReplayContext(this.execution, scopeOf(name), this.draws, mayLose);
      this.#children.add(context);
      return context;
    });
  }

  #ask(kind: Operation['kind'], id: string, make: (asked: Asked, settle: Settle) => Made): Promise<unknown> {
    const key = this.scope.key(id);
    const settle = HandedOut.make<unknown>();
    const { promise, resolve, reject } = settle;
    this.execution.ask(kind, key, this.scope.group, (asked) => {
      if (!this.mayLose) return make(asked, settle).operation;
      const { operation, isDetached = false } = make(asked, {
        resolve: (value) => {
          this.#asked.delete(operation);
          resolve(value);
        },
        reject: (error) => {
          this.#asked.delete(operation);
          reject(error);
        },
      });
      if (!isDetached) this.#asked.add(operation);
      return operation;
    });
    return promise;
  }

  #abandon(): void {
    for (const operation of this.#asked) this.execution.drop(operation);
    for (const context of this.#children) context.#abandon();
  }
}

const invoke = async (branch: Branch<unknown>, context: ReplayContext): Promise<unknown> =>
  branch(authorContext(context));

function join(promises: readonly Promise<unknown>[], mode: ParallelOptions['mode']): Promise<unknown[]> {
  return mode === 'collect-all' ? Promise.allSettled(promises) : Promise.all(promises);
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
