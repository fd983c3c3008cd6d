import { setMaxListeners } from 'node:events';
import type { Clock } from '../../shared/ports/clock.ts';
import type { AnyWorkflow, StepBody } from '../context.ts';
import { CancelledError, NonDeterminismError, RunTimeoutError } from '../errors.ts';
import { decodeValue, encodeValue } from '../values.ts';
import { CodeWatch } from './code-watch.ts';
import { DeliveryQueue } from './delivery-queue.ts';
import { History } from './history.ts';
import {
  type Arrivals,
  type Journal,
  type Outcome,
  type RecordedStep,
  RunLostError,
  type StepPlace,
} from './journal.ts';
import type { LogSink } from './log-sink.ts';
import type { Operation } from './operation.ts';
import { Pulse } from './pulse.ts';

export interface ExecutionParts {
  readonly workflow: AnyWorkflow;
  readonly journal: Journal;
  readonly clock: Clock;
  /** Waits up to this long are spent here instead of putting the run down. */
  readonly holdMs: number;
  /** Aborted when the run is lost or the worker must go at once. */
  readonly signal: AbortSignal;
  /** Aborted when the worker should start nothing more and hand the run over. */
  readonly handover: AbortSignal;
  readonly log: LogSink;
  /** For tests: a body to use instead of a step's own. */
  readonly stub?: (stepId: string) => StepBody<unknown> | undefined;
}

export interface Asked {
  readonly place: StepPlace;
  readonly recorded: RecordedStep | undefined;
}

/** How the code ended, or why it did not. */
export type Ending =
  | { readonly how: 'returned'; readonly value: unknown }
  | { readonly how: 'threw'; readonly error: unknown }
  | { readonly how: 'cancelled'; readonly reason: string | null }
  | { readonly how: 'suspended' | 'handed-over' };

type Ended = { readonly value: unknown } | { readonly error: unknown };

/** The key under which it is recorded that the code was told of its cancellation. */
const CANCEL_KEY = '$cancel';
/** A run that waits for children only is looked at this often, though their end wakes it. */
const CHILD_LOOK_MS = 6 * 3_600_000;

/**
 * Runs workflow code against its record. Outcomes are delivered one at a time, in the order in which they are
 * recorded, and the code runs until it waits again before the next: so it goes the same way on every replay, whatever
 * it awaits, races or joins. Bodies start only when nothing recorded is left to deliver. Suspension is parking: the
 * promises the code waits for just never settle.
 */
export class Execution {
  readonly history: History;
  /** Aborted when the code has ended or is put down: bodies under way should stop. */
  readonly stopping = new AbortController();
  readonly watch: CodeWatch;
  readonly #pending = new Set<Operation>();
  /** Asked for since the code was last told something: nothing of it can have begun. */
  readonly #fresh = new Set<Operation>();
  /** Lost, and not yet ended where they went on. */
  readonly #cancelling = new Set<Operation>();
  readonly #pulse = new Pulse();
  readonly #ready = new DeliveryQueue();
  /** Orders whose record is being written: nothing later is delivered before them. */
  readonly #writing = new Set<number>();
  readonly #deadline: number;
  #positions = 0;
  #order: number;
  #now: number;
  #arrivals: Arrivals | null = null;
  #hasArrivals = true;
  #cancel: { readonly reason: string | null; readonly until: number } | null = null;
  #broken: { readonly error: unknown } | null = null;
  #ended: Ended | null = null;

  constructor(readonly parts: ExecutionParts) {
    const { journal, workflow } = parts;
    // Every body under way listens to them.
    setMaxListeners(0, this.stopping.signal, parts.signal);
    this.watch = new CodeWatch(parts.log);
    this.history = new History(journal.steps);
    this.#order = this.history.lastOrder;
    this.#now = journal.startedAt;
    this.#deadline = journal.startedAt + (workflow.timeoutMs ?? Number.POSITIVE_INFINITY);
    const cancel = this.history.orderOf(CANCEL_KEY);
    if (cancel !== null)
      this.#ready.push({ order: cancel, deliver: () => this.#deliverCancel(cancelOf(this.history)) });
    journal.onArrival(() => {
      this.#hasArrivals = true;
      this.#pulse.beat();
    });
  }

  /** The time of the last thing that happened to the run. */
  get now(): number {
    return this.#now;
  }

  /** Whether the code has yet to come to where it was before. */
  get isReplaying(): boolean {
    return this.history.isReplaying || this.#positions <= this.history.lastPosition;
  }

  /** Throws RunLostError, or what the journal threw because the world is down. */
  async run(code: () => Promise<unknown>): Promise<Ending> {
    const { signal, handover } = this.parts;
    const beat = (): void => this.#pulse.beat();
    for (const one of [signal, handover]) one.addEventListener('abort', beat);
    this.#invoke(code);
    try {
      for (;;) {
        await turn();
        if (signal.aborted) throw new RunLostError('the run was lost');
        if (this.#broken !== null) throw this.#broken.error;
        if (this.#ended !== null) {
          const ending = await this.#end(this.#ended);
          if (ending !== null) return ending;
          continue;
        }
        if (this.#deliverNext()) continue;
        const ending = await this.#goOn();
        if (ending !== null) return ending;
      }
    } catch (error) {
      if (error instanceof NonDeterminismError) return { how: 'threw', error };
      throw error;
    } finally {
      const broken = this.#broken?.error;
      this.stopping.abort(broken instanceof RunLostError ? broken.reason : undefined);
      this.watch.tellStrays();
      for (const one of [signal, handover]) one.removeEventListener('abort', beat);
    }
  }

  /** The code asks for something. If its record says otherwise the run is broken, and the code waits for ever. */
  ask(kind: RecordedStep['kind'], key: string, group: string | null, make: (asked: Asked) => Operation): void {
    const position = this.#positions++;
    const place: StepPlace = { key, position, parallelGroup: group };
    try {
      const operation = make({ place, recorded: this.history.check({ kind, key, position }) });
      this.#pending.add(operation);
      this.#fresh.add(operation);
      const order = this.history.orderOf(key);
      if (order !== null) this.#ready.push({ order, deliver: () => this.#deliverRecorded(operation) });
    } catch (error) {
      this.break(error);
    }
    this.#pulse.beat();
  }

  /** What is recorded of something the code did not ask for; it counts as seen. */
  decision(key: string): Outcome | null {
    this.history.saw(key);
    return outcomeOf(this.history.get(key));
  }

  /** Records such a decision, or answers the one that somebody else has recorded. */
  async decide(key: string, output: string | undefined): Promise<Outcome> {
    const place = { key, position: null, parallelGroup: null };
    const startedAt = this.parts.clock.now();
    const result = { output, order: ++this.#order, attempt: 1, startedAt };
    const outcome = outcomeOf(await this.parts.journal.complete(place, result));
    if (outcome === null) throw new Error(`the decision "${key}" was recorded without an outcome`);
    return outcome;
  }

  /** Nobody waits for it any more: its body is told, and its outcome is dropped. */
  abandon(operation: Operation, reason?: Error): void {
    this.#pending.delete(operation);
    this.history.saw(operation.place.key);
    operation.stopping.abort(reason);
  }

  /** It lost a race: what it began elsewhere ends too, before the run itself does or is put down. */
  drop(operation: Operation): void {
    this.abandon(operation);
    if (operation.cancel === undefined) return;
    const { cancel } = operation;
    this.#cancelling.add(operation);
    this.#work(operation, () => cancel().finally(() => this.#cancelling.delete(operation)));
  }

  /** Writes an outcome under the next order; it is delivered when its turn has come. */
  async record(operation: Operation, write: (order: number) => Promise<RecordedStep>): Promise<RecordedStep> {
    const order = ++this.#order;
    this.#writing.add(order);
    try {
      const step = await write(order);
      const { state } = step;
      if (state.status !== 'COMPLETED' && state.status !== 'FAILED') return step;
      if (step.order !== order) await this.parts.journal.observe(step.key, order);
      this.#ready.push({ order, deliver: () => this.#deliver(operation, state) });
      return step;
    } finally {
      this.#writing.delete(order);
      this.#pulse.beat();
    }
  }

  /** The run fails with this, whatever the code would do about it. */
  failWith(error: unknown): void {
    this.#ended = { error };
    this.#pulse.beat();
  }

  /** The run cannot go on here: it was lost, the world is down, or the code has gone astray. */
  break(error: unknown): void {
    this.#broken ??= { error };
    this.#pulse.beat();
  }

  #invoke(code: () => Promise<unknown>): void {
    const ended = (how: Ended): void => {
      this.watch.ended();
      this.#ended ??= how;
      this.#pulse.beat();
    };
    Promise.resolve()
      .then(code)
      .then(
        (value) => ended({ value }),
        (error: unknown) => ended({ error }),
      );
  }

  /** Null if the code has ended, but not all it has asked for is done. */
  async #end(ended: Ended): Promise<Ending | null> {
    this.history.refuseUnseen('the code has ended');
    this.stopping.abort();
    if (this.#cancel !== null) return { how: 'cancelled', reason: this.#cancel.reason };
    if ('error' in ended) return { how: 'threw', error: ended.error };
    this.#tellForgotten();
    return (await this.#settleChildren()) ? { how: 'returned', value: ended.value } : null;
  }

  /** A child outlives the code that asked for it, so the run is not over before it is started, or cancelled if it lost. */
  async #settleChildren(): Promise<boolean> {
    const next = this.#pulse.next();
    const left = [...this.#pending].filter(isUnstartedChild);
    for (const child of left) if (child.waiting.for === 'start') this.#workOn(child, 1);
    const isDone = left.length === 0 && this.#cancelling.size === 0;
    if (!isDone) await next;
    return isDone;
  }

  #tellForgotten(): void {
    for (const { kind, place, waiting } of this.#fresh) {
      if (kind === 'CHILD_WORKFLOW' || waiting.for !== 'start') continue;
      const message = 'a step was never begun, because the workflow ended without awaiting it';
      this.parts.log('warn', message, { step_id: place.key });
    }
    this.#fresh.clear();
  }

  #deliver(operation: Operation, outcome: Outcome): void {
    if (!this.#pending.delete(operation)) return;
    this.#fresh.clear();
    this.#now = Math.max(this.#now, outcome.finishedAt);
    operation.settle(outcome);
  }

  #deliverRecorded(operation: Operation): void {
    this.history.saw(operation.place.key);
    const outcome = outcomeOf(operation.recorded);
    if (outcome !== null) this.#deliver(operation, outcome);
  }

  /** The outcome whose turn it is, if it is there; else a sleep that is over. */
  #deliverNext(): boolean {
    if (this.#ready.size === 0) return this.#writing.size === 0 && this.#deliverSleep();
    if (!this.#isNextDeliverable) return false;
    this.#ready.pop()?.deliver();
    return true;
  }

  /** Not while the record of something before it is being written. */
  get #isNextDeliverable(): boolean {
    const next = this.#ready.peek();
    if (next === undefined) return false;
    for (const order of this.#writing) if (order < next.order) return false;
    return true;
  }

  /**
   * A sleep's end is recorded only if the code waits for something else too, which could come before or after it.
   * What is recorded behind a sleep proves that it ended, though the clock of this worker may be behind.
   */
  #deliverSleep(): boolean {
    const now = this.history.isReplaying ? Number.POSITIVE_INFINITY : this.parts.clock.now();
    const [over] = [...this.#pending]
      .filter(({ kind, waiting }) => kind === 'SLEEP' && waiting.for === 'time' && waiting.until <= now)
      .sort((a, b) => untilOf(a) - untilOf(b) || (a.place.position ?? 0) - (b.place.position ?? 0));
    if (over === undefined) return false;
    const outcome: Outcome = { status: 'COMPLETED', output: undefined, finishedAt: untilOf(over) };
    if (this.#pending.size === 1) {
      this.#deliver(over, outcome);
      return true;
    }
    over.waiting = { for: 'work', first: false };
    const { key, position } = over.place;
    const seen = {
      key,
      kind: over.kind,
      epoch: 0,
      position,
      order: null,
      attempt: 1,
      startedAt: outcome.finishedAt,
      childRunId: null,
      state: outcome,
    };
    this.#work(over, () => this.record(over, () => Promise.resolve(seen)));
    return false;
  }

  /** Nothing is left to deliver: begins what was asked for, then waits, or puts the run down. */
  async #goOn(): Promise<Ending | null> {
    const next = this.#pulse.next();
    if (this.#writing.size === 0) this.history.refuseUnseen(`the code waits for ${this.#waits()}`);
    if (this.#hasArrivals) await this.#readArrivals();
    if (this.#isNextDeliverable) return null;
    const now = this.parts.clock.now();
    if (now >= this.#deadline) return { how: 'threw', error: new RunTimeoutError(this.parts.workflow.timeoutMs ?? 0) };
    if (this.#cancel !== null && now >= this.#cancel.until) return { how: 'cancelled', reason: this.#cancel.reason };
    this.#beginAll(now);
    const busy =
      this.#writing.size > 0 ||
      this.#cancelling.size > 0 ||
      [...this.#pending].some(({ waiting }) => waiting.for === 'work');
    if (!busy && this.parts.handover.aborted) return { how: 'handed-over' };
    const soonest = this.#soonest(now);
    if (busy || this.#pending.size === 0 || soonest - now <= this.parts.holdMs) {
      await this.#pause(next, soonest - now);
      return null;
    }
    return (await this.#suspend(soonest)) ? { how: 'suspended' } : null;
  }

  #waits(): string {
    const all = [...this.#pending].slice(0, 5).map(({ kind, place }) => `${kind} "${place.key}"`);
    return all.join(', ') || 'something that is no step';
  }

  /** A body may count on the children that were asked for before it: it begins when they are started. */
  #beginAll(now: number): void {
    let starting = false;
    for (const operation of this.#pending) {
      if (!starting || operation.kind !== 'FUNCTION') this.#begin(operation, now);
      starting ||= isUnstartedChild(operation);
    }
  }

  #begin(operation: Operation, now: number): void {
    const { waiting, kind } = operation;
    const handingOver = this.parts.handover.aborted;
    if (waiting.for === 'start' && !handingOver) this.#workOn(operation, operation.recorded?.attempt ?? 1);
    if (waiting.for === 'time' && kind !== 'SLEEP' && waiting.until <= now && !handingOver) {
      this.#workOn(operation, waiting.attempt);
    }
    if (waiting.for === 'child' && this.#arrivals?.endedChildren.has(operation.place.key) === true) {
      this.#workOn(operation, 1);
    }
  }

  #workOn(operation: Operation, attempt: number): void {
    operation.waiting = { for: 'work', first: operation.waiting.for === 'start' };
    this.#work(operation, () => operation.work(attempt));
  }

  #work({ place }: Operation, work: () => Promise<unknown>): void {
    void work().then(
      () => this.#pulse.beat(),
      (error: unknown) => {
        if (!(error instanceof RunLostError)) {
          this.parts.log('error', 'a step could not be recorded', { step_id: place.key, error: String(error) });
        }
        this.break(error);
      },
    );
  }

  /** When time alone changes something next. */
  #soonest(now: number): number {
    const times = [...this.#pending].map((operation) =>
      operation.waiting.for === 'child' ? now + CHILD_LOOK_MS : untilOf(operation),
    );
    return Math.min(this.#deadline, this.#cancel?.until ?? Number.POSITIVE_INFINITY, ...times);
  }

  async #pause(next: Promise<void>, ms: number): Promise<void> {
    const done = new AbortController();
    await Promise.race([next, this.parts.clock.sleep(Math.max(1, ms), done.signal).catch(() => undefined)]);
    done.abort();
  }

  async #suspend(at: number): Promise<boolean> {
    const retries = [...this.#pending].some((operation) => operation.kind === 'FUNCTION' && untilOf(operation) === at);
    const count = this.#arrivals?.count ?? 0;
    const suspended = await this.parts.journal.suspend({
      at,
      status: retries ? 'PENDING' : 'SLEEPING',
      arrivals: count,
    });
    this.#hasArrivals ||= !suspended;
    return suspended;
  }

  async #readArrivals(): Promise<void> {
    this.#hasArrivals = false;
    this.#arrivals = await this.parts.journal.readArrivals();
    const { cancel } = this.#arrivals;
    if (cancel === null || this.#cancel !== null || this.history.get(CANCEL_KEY) !== undefined) return;
    const order = ++this.#order;
    this.#writing.add(order);
    const startedAt = this.parts.clock.now();
    const place = { key: CANCEL_KEY, position: null, parallelGroup: null };
    const output = encodeValue(cancel);
    await this.parts.journal.complete(place, { output, order, attempt: 1, startedAt });
    this.#writing.delete(order);
    this.#ready.push({ order, deliver: () => this.#deliverCancel(cancel) });
    this.#pulse.beat();
  }

  /** Everything the code waits for fails; what it asks for from now on, to clean up, goes on as usual. */
  #deliverCancel(cancel: { readonly reason: string | null; readonly until: number }): void {
    this.history.saw(CANCEL_KEY);
    this.#cancel = cancel;
    const pending = [...this.#pending];
    const error = (): CancelledError => new CancelledError(undefined, cancel.reason);
    for (const operation of pending) this.abandon(operation, error());
    for (const operation of pending) operation.reject(error());
  }
}

function cancelOf(history: History): { readonly reason: string | null; readonly until: number } {
  const state = history.get(CANCEL_KEY)?.state;
  const recorded = state?.status === 'COMPLETED' ? decodeValue(state.output) : null;
  return (
    (recorded as { reason: string | null; until: number } | null) ?? { reason: null, until: Number.POSITIVE_INFINITY }
  );
}

/** Of a sleep that was seen to end while something else was under way, its own time. */
function outcomeOf(recorded: RecordedStep | undefined): Outcome | null {
  const state = recorded?.state;
  if (state?.status === 'SLEEPING') return { status: 'COMPLETED', output: undefined, finishedAt: state.wakeAt };
  return state?.status === 'COMPLETED' || state?.status === 'FAILED' ? state : null;
}

const untilOf = ({ waiting }: Operation): number => (waiting.for === 'time' ? waiting.until : Number.POSITIVE_INFINITY);

const isUnstartedChild = ({ kind, waiting }: Operation): boolean =>
  kind === 'CHILD_WORKFLOW' && (waiting.for === 'start' || (waiting.for === 'work' && waiting.first));

/** Lets the code run until it waits: every microtask comes before the next macrotask. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
