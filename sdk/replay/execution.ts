import { Stop } from '../../shared/model/stop.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import type { AnyWorkflow, StepBody } from '../context.ts';
import { CancelledError, NonDeterminismError, RunTimeoutError } from '../errors.ts';
import { decodeValue, encodeValue } from '../values.ts';
import { CodeWatch } from './code-watch.ts';
import { History, requireKind, shown } from './history.ts';
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
import { Patience } from './patience.ts';
import { Pulse } from './pulse.ts';
import { type TellError, tellError } from './tell-error.ts';
import { nextTurn } from './turns.ts';

export interface ExecutionParts {
  readonly workflow: AnyWorkflow;
  readonly journal: Journal;
  readonly clock: Clock;
  /** Waits up to this long are spent here instead of putting the run down. */
  readonly holdMs: number;
  /** Told when the run is lost or the worker must go at once. */
  readonly giveUp: Stop;
  /** Told when the worker should start nothing more and hand the run over. */
  readonly handover: Stop;
  readonly log: LogSink;
  readonly traceparent?: string | null;
  /** Whether the log may have the messages of errors, too. */
  readonly logErrors?: boolean;
  /** For tests: a body to use instead of a step's own. */
  readonly stub?: (stepId: string) => StepBody<unknown> | undefined;
}

export interface Asked {
  /** Where it stands is decided when its turn has come, which is before anything is recorded of it. */
  readonly place: StepPlace;
  readonly recorded: RecordedStep | undefined;
}

interface Ask {
  readonly operation: Operation;
  readonly place: { -readonly [Part in keyof StepPlace]: StepPlace[Part] };
}

/** How the code ended, or why it did not. */
export type Ending =
  | { readonly how: 'returned'; readonly value: unknown }
  | { readonly how: 'threw'; readonly error: unknown }
  | { readonly how: 'cancelled'; readonly reason: string | null }
  | { readonly how: 'suspended' | 'handed-over' };

type Ended = { readonly value: unknown } | { readonly error: unknown };
type Cancel = NonNullable<Arrivals['cancel']>;
/** Tells the code something; false if it must be recorded once more before. */
type Telling = () => boolean;

/** The key under which it is recorded that the code was told of its cancellation. */
const CANCEL_KEY = '$cancel';
/** A run that waits for children only is looked at this often, though their end wakes it. */
const CHILD_LOOK_MS = 6 * 3_600_000;
/** The code may be waiting for something that is no step: a run that has just moved is not put down yet. */
const LINGER_MS = 20;
/** An error would be made, with its stack, for nobody. */
const PAUSE_ENDED = Symbol('something has happened');

/**
 * Runs workflow code against its record. What the code asks for takes its place, and what it is told comes, one at a
 * time and in the order in which it is recorded; the code runs until it waits again before the next. So it goes the
 * same way on every replay, whatever it awaits, races or joins. Nothing new happens before all that is recorded has
 * come again. Suspension is parking: the promises the code waits for just never settle.
 */
export class Execution {
  readonly history: History;
  /** Told when the code has ended, is put down or given up: bodies under way should stop. */
  readonly stopping = new Stop();
  readonly watch: CodeWatch;
  readonly tellError: TellError;
  /** Asked for before their turn, because the code awaited something that is no step. */
  readonly #early = new Map<string, Ask>();
  /** Of what is recorded: the rest is done with, and can be forgotten, once the code was told of it. */
  readonly #asked = new Map<string, Operation>();
  readonly #pending = new Set<Operation>();
  /** Asked for since the code was last told something: nothing of it can have begun. */
  #fresh: Operation[] = [];
  /** Lost, and not yet ended where they went on. */
  readonly #cancelling = new Set<Operation>();
  readonly #pulse = new Pulse();
  readonly #patience: Patience;
  /** Recorded, by order, and to be told when their turn has come. */
  readonly #ready: (Telling | undefined)[] = [];
  readonly #deadline: number;
  #positions = 0;
  #told = 0;
  #slept = 0;
  /** The last order given out: those above `told` are being written, or ready. */
  #order: number;
  #now: number;
  #movedAt: number;
  #arrivals: Arrivals | null = null;
  #hasArrivals = true;
  #isCancelRecorded: boolean;
  #cancel: Cancel | null = null;
  /** The code was told something, or has asked for something, and may not wait again yet. */
  #hasMoved = true;
  #broken: { readonly error: unknown } | null = null;
  #ended: Ended | null = null;

  constructor(readonly parts: ExecutionParts) {
    const { journal, workflow, clock } = parts;
    this.tellError = tellError(parts.logErrors === true);
    this.watch = new CodeWatch(parts.log, this.tellError);
    this.history = new History(journal.steps);
    this.#patience = new Patience(clock);
    this.#order = this.history.told;
    this.#now = journal.startedAt;
    this.#movedAt = clock.monotonic();
    this.#deadline = journal.startedAt + (workflow.timeoutMs ?? Number.POSITIVE_INFINITY);
    this.#isCancelRecorded = this.history.wasTold(CANCEL_KEY);
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
    const { history } = this;
    return this.#told < history.told || this.#slept < history.slept || history.askFrom(this.#positions) !== undefined;
  }

  /** Throws RunLostError, or what the journal threw because the world is down. */
  async run(code: () => Promise<unknown>): Promise<Ending> {
    const { giveUp, handover } = this.parts;
    const beat = (): void => this.#pulse.beat();
    const stop = (reason: unknown): void => {
      this.stopping.tell(reason);
      beat();
    };
    giveUp.listen(stop);
    handover.listen(beat);
    this.#invoke(code);
    try {
      for (;;) {
        if (this.#hasMoved) await this.#turn();
        if (giveUp.isTold) throw new RunLostError('the run was lost');
        if (this.#broken !== null) throw this.#broken.error;
        if (this.#ended !== null) {
          const ending = await this.#end(this.#ended);
          if (ending !== null) return ending;
          continue;
        }
        if (this.#tellNext()) continue;
        const ending = await (this.isReplaying ? this.#awaitCode() : this.#goOn());
        if (ending !== null) return ending;
      }
    } catch (error) {
      if (error instanceof NonDeterminismError) return { how: 'threw', error };
      throw error;
    } finally {
      this.#patience.renew();
      const broken = this.#broken?.error;
      this.stopping.tell(broken instanceof RunLostError ? broken.reason : undefined);
      this.watch.tellStrays();
      giveUp.unlisten(stop);
      handover.unlisten(beat);
    }
  }

  /** The code asks for something. If its record says otherwise the run is broken, and the code waits for ever. */
  ask(kind: RecordedStep['kind'], key: string, group: string | null, make: (asked: Asked) => Operation): void {
    try {
      const recorded = this.history.get(key);
      if (recorded !== undefined) requireKind(recorded, kind);
      const place = this.#placeOf(key, kind, group);
      const operation = make({ place, recorded });
      this.#fresh.push(operation);
      if (this.#isNext(key)) this.#take(operation, place);
      else {
        this.#early.set(key, { operation, place });
        this.#admit();
      }
    } catch (error) {
      this.break(error);
    }
    this.#moved();
    this.#pulse.beat();
  }

  /** Whether the child of this step has told that it ended. */
  hasEnded(key: string): boolean {
    return this.#arrivals?.endedChildren.has(key) === true;
  }

  /** What is recorded of something the code did not ask for and is not told of. */
  decision(key: string): Outcome | null {
    return outcomeOf(this.history.get(key));
  }

  /** Records such a decision, or answers the one that somebody else has recorded. */
  async decide(key: string, output: string | undefined): Promise<Outcome> {
    const place = this.#placeOf(key, 'FUNCTION', null);
    const startedAt = this.parts.clock.now();
    const step = await this.parts.journal.complete(place, { output, order: undefined, attempt: 1, startedAt });
    const outcome = outcomeOf(step);
    if (outcome === null) throw new Error(`the decision "${key}" was recorded without an outcome`);
    return outcome;
  }

  /** Nobody waits for it any more: its body is told, and its outcome is dropped. */
  abandon(operation: Operation, reason?: Error): void {
    this.#pending.delete(operation);
    operation.stopping.tell(reason);
  }

  /** It lost a race: what it began elsewhere ends too, before the run itself does or is put down. */
  drop(operation: Operation): void {
    this.abandon(operation);
    const cancelled = operation.cancel?.();
    if (cancelled === undefined) return;
    this.#cancelling.add(operation);
    this.#work(operation.place.key, () => cancelled.finally(() => this.#cancelling.delete(operation)));
  }

  /** Writes an outcome under the next order; the code is told when its turn has come. */
  record(operation: Operation, write: (order: number) => Promise<RecordedStep>): Promise<void> {
    const order = ++this.#order;
    return write(order).then((step) => this.#recorded(operation, order, step));
  }

  #recorded(operation: Operation, order: number, step: RecordedStep): Promise<void> | undefined {
    requireKind(step, operation.kind);
    const outcome = outcomeOf(step);
    if (outcome === null) throw new Error(`the step "${step.key}" was concluded, but is ${step.state.status}`);
    const ready = (): void => {
      this.#readyAt(order, () => this.#deliver(operation, outcome));
      this.#pulse.beat();
    };
    if (!this.#isOurs(step, order)) return this.parts.journal.observe(operation.place, order).then(ready);
    ready();
    return undefined;
  }

  /** The run fails with this, whatever the code would do about it. */
  failWith(error: unknown): void {
    this.#ended = { error };
    this.#hasMoved = true;
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
      this.#hasMoved = true;
      this.#pulse.beat();
    };
    Promise.resolve()
      .then(code)
      .then(
        (value) => ended({ value }),
        (error: unknown) => ended({ error }),
      );
  }

  /**
   * Code that returns has asked for everything it asked for before. Code that throws may have done so earlier.
   * Null if the code has ended, but not all it has asked for is done.
   */
  async #end(ended: Ended): Promise<Ending | null> {
    this.stopping.tell();
    if (this.#cancel !== null) return { how: 'cancelled', reason: this.#cancel.reason };
    if (!('value' in ended)) return { how: 'threw', error: ended.error };
    for (const key of this.history.left(this.#told)) {
      if (!this.#asked.has(key) && !this.#early.has(key)) this.history.refuse(key, 'the code has ended');
    }
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
    this.#fresh = [];
  }

  /** Lets the code run until it waits. */
  #turn(): Promise<void> {
    this.#hasMoved = false;
    return nextTurn();
  }

  #moved(): void {
    this.#hasMoved = true;
    this.#movedAt = this.parts.clock.monotonic();
    this.#patience.renew();
  }

  /** Lets what was asked for take its place, as far as the record allows. */
  #admit(): void {
    for (let ask = this.#nextAsk(); ask !== undefined; ask = this.#nextAsk()) {
      this.#early.delete(ask.place.key);
      this.#take(ask.operation, ask.place);
    }
  }

  /** Behind everything that is recorded, and nobody waits before it. */
  #isNext(key: string): boolean {
    const { history } = this;
    return this.#early.size === 0 && history.askFrom(this.#positions) === undefined && !history.isPlaced(key);
  }

  #take(operation: Operation, place: Ask['place']): void {
    const { history } = this;
    // What is not recorded will be when all that is has come again; it came before what is recorded after it.
    const known = history.askFrom(this.#positions);
    place.seen = Math.max(this.#told, known === undefined ? history.told : (known.seen ?? 0));
    place.slept = Math.max(this.#slept, known === undefined ? history.slept : known.slept);
    place.position = this.#positions++;
    if (operation.recorded !== undefined) this.#asked.set(place.key, operation);
    if (!operation.stopping.isTold) this.#pending.add(operation);
  }

  /** At a recorded position only what is recorded there, and not before the code was told what it knew then. */
  #nextAsk(): Ask | undefined {
    if (this.#early.size === 0) return undefined;
    const recorded = this.history.askFrom(this.#positions);
    if (recorded?.position === this.#positions) {
      const isDue = (recorded.seen ?? 0) <= this.#told && recorded.slept <= this.#slept;
      return isDue ? this.#early.get(recorded.key) : undefined;
    }
    for (const ask of this.#early.values()) if (!this.history.isPlaced(ask.place.key)) return ask;
    return undefined;
  }

  /** To be told when everything before it was: the first place is that of the next. */
  #readyAt(order: number, tell: Telling): void {
    this.#ready[order - this.#told - 1] = tell;
  }

  /** What nobody waits for any more is told to nobody. */
  #deliver(operation: Operation, outcome: Outcome): true {
    if (!this.#pending.delete(operation)) return true;
    if (this.#fresh.length > 0) this.#fresh = [];
    this.#now = Math.max(this.#now, outcome.finishedAt);
    operation.settle(outcome);
    return true;
  }

  /** Tells the code the next thing, if it is there. */
  #tellNext(): boolean {
    if (this.#told < this.history.told || this.#slept < this.history.slept) return this.#tellAgain();
    const tell = this.#ready[0];
    if (tell === undefined) return !this.isReplaying && this.#endSleep();
    this.#ready[0] = undefined;
    return this.#tell(tell);
  }

  #tell(tell: Telling): boolean {
    if (!tell()) return false;
    this.#ready.shift();
    this.#told += 1;
    this.#admit();
    this.#moved();
    return true;
  }

  /** The next thing it was told before, once it has asked for everything that it had asked for by then. */
  #tellAgain(): boolean {
    const { history } = this;
    const ask = history.askFrom(this.#positions);
    if (ask !== undefined && ask.seen !== null && ask.seen <= this.#told && ask.slept <= this.#slept) return false;
    const next = history.after(this.#told);
    if (this.#slept < (next?.slept ?? history.slept)) return this.#sleepAgain();
    if (next === undefined) return false;
    if (next.key === CANCEL_KEY) {
      if (this.#positions < (next.asks ?? 0)) return false;
      return this.#tell(() => this.#deliverCancel(cancelOf(history.get(CANCEL_KEY))));
    }
    const operation = this.#asked.get(next.key);
    const outcome = outcomeOf(operation?.recorded);
    if (operation === undefined || outcome === null) return false;
    return this.#tell(() => this.#deliver(operation, outcome));
  }

  /** A sleep that the code had waited for alone: something recorded behind it proves that it ended. */
  #sleepAgain(): boolean {
    const isUntold = ({ place }: Operation): boolean => !this.history.wasTold(place.key);
    const over = this.#firstSleep(isUntold);
    if (over === undefined) return false;
    // Its record came while the history was read: whoever reads it next finds it.
    if (over.waiting.for !== 'time') throw new Error(`the history has nothing of the sleep "${over.place.key}" yet`);
    this.#sleptThrough(over);
    return true;
  }

  /** A sleep's end is recorded only if the code waits for something else too, which could come before or after it. */
  #endSleep(): boolean {
    const now = this.parts.clock.now();
    const over = this.#firstSleep((one) => untilOf(one) <= now);
    if (over === undefined) return false;
    if (this.#pending.size === 1) {
      // Something that nobody waits for any more is still being recorded.
      if (this.#order > this.#told) return false;
      this.#sleptThrough(over);
      return true;
    }
    const outcome = sleepOver(untilOf(over));
    const order = ++this.#order;
    over.waiting = { for: 'work', first: false };
    this.#work(over.place.key, async () => {
      await this.parts.journal.observe(over.place, order);
      this.#readyAt(order, () => this.#deliver(over, outcome));
    });
    return false;
  }

  /** The one that ends soonest; of those that end at once, the one that was asked for first. */
  #firstSleep(counts: (operation: Operation) => boolean): Operation | undefined {
    let first: Operation | undefined;
    for (const one of this.#pending) {
      if (one.kind !== 'SLEEP' || !counts(one)) continue;
      if (first === undefined || bySoonest(one, first) < 0) first = one;
    }
    return first;
  }

  #sleptThrough(operation: Operation): void {
    this.#slept += 1;
    this.#deliver(operation, sleepOver(untilOf(operation)));
    this.#admit();
    this.#moved();
  }

  /** The code has yet to ask for what it asked for before: it may be waiting for something that is no step. */
  async #awaitCode(): Promise<Ending | null> {
    if (this.parts.handover.isTold) return { how: 'handed-over' };
    const isOver = await this.#patience.endsBefore(this.#pulse.next());
    if (isOver) this.#refuse();
    return null;
  }

  #refuse(): never {
    const { history } = this;
    const [early] = this.#early.values();
    const waits = [...this.#pending].slice(0, 5).map(({ kind, place }) => shown(kind, place.key));
    const code =
      early === undefined
        ? `the code waits for ${waits.join(', ') || 'something that is no step'}`
        : `the code asks for ${shown(early.operation.kind, early.place.key, this.#positions)}`;
    const expected = history.askFrom(this.#positions)?.key ?? history.after(this.#told)?.key;
    return history.refuse(expected ?? 'a sleep', code);
  }

  /** Nothing is left to tell: begins what was asked for, then waits, or puts the run down. */
  #goOn(): Ending | null | Promise<Ending | null> {
    const next = this.#pulse.next();
    if (this.#hasArrivals) return this.#readArrivals().then(() => this.#proceed(next));
    return this.#proceed(next);
  }

  #proceed(next: Promise<null>): Ending | null | Promise<Ending | null> {
    const now = this.parts.clock.now();
    if (now >= this.#deadline) return { how: 'threw', error: new RunTimeoutError(this.parts.workflow.timeoutMs ?? 0) };
    if (this.#cancel !== null && now >= this.#cancel.until) return { how: 'cancelled', reason: this.#cancel.reason };
    this.#tellOfCancel();
    this.#beginAll(now);
    const busy = this.#order > this.#told || this.#cancelling.size > 0 || this.#isWorking();
    if (!busy && this.parts.handover.isTold) return { how: 'handed-over' };
    const soonest = this.#soonest(now);
    const lingers = LINGER_MS - (this.parts.clock.monotonic() - this.#movedAt);
    // The clock tells whole milliseconds, so part of the present one has gone by: the last one is looked at by itself.
    if (busy || this.#pending.size === 0 || soonest - now <= this.parts.holdMs) {
      return this.#pause(next, soonest - now - 1);
    }
    return lingers > 0 ? this.#pause(next, lingers) : this.#suspend(soonest);
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
    const { waiting, kind, recorded } = operation;
    const handingOver = this.parts.handover.isTold;
    if (waiting.for === 'start' && !handingOver) {
      // An outcome that nobody on the way here was told of.
      if (recorded !== undefined && outcomeOf(recorded) !== null) this.#adopt(operation, recorded);
      else this.#workOn(operation, recorded?.attempt ?? 1);
    }
    if (waiting.for === 'time' && kind !== 'SLEEP' && waiting.until <= now && !handingOver) {
      this.#workOn(operation, waiting.attempt);
    }
    if (waiting.for === 'child' && this.hasEnded(operation.place.key)) this.#workOn(operation, 1);
  }

  #adopt(operation: Operation, recorded: RecordedStep): void {
    operation.waiting = { for: 'work', first: false };
    this.#work(operation.place.key, () => this.record(operation, () => Promise.resolve(recorded)));
  }

  #workOn(operation: Operation, attempt: number): void {
    operation.waiting = { for: 'work', first: operation.waiting.for === 'start' };
    this.#work(operation.place.key, () => operation.work(attempt));
  }

  #work(key: string, work: () => Promise<unknown>): void {
    const failed = (error: unknown): void => {
      if (!(error instanceof RunLostError)) {
        this.parts.log('error', 'a step could not be recorded', { step_id: key, error: String(error) });
      }
      this.break(error);
    };
    try {
      void work().then(() => this.#pulse.beat(), failed);
    } catch (error) {
      failed(error);
    }
  }

  #isOurs(step: RecordedStep, order: number): boolean {
    return step.traces.some((trace) => trace.epoch === this.parts.journal.epoch && trace.order === order);
  }

  #isWorking(): boolean {
    for (const { waiting } of this.#pending) if (waiting.for === 'work') return true;
    return false;
  }

  /** When time alone changes something next. */
  #soonest(now: number): number {
    let soonest = Math.min(this.#deadline, this.#cancel?.until ?? Number.POSITIVE_INFINITY);
    for (const operation of this.#pending) {
      const at = operation.waiting.for === 'child' ? now + CHILD_LOOK_MS : untilOf(operation);
      if (at < soonest) soonest = at;
    }
    return soonest;
  }

  #pause(next: Promise<null>, ms: number): Promise<null> {
    return ms === Number.POSITIVE_INFINITY ? next : this.#pauseFor(next, ms);
  }

  async #pauseFor(next: Promise<null>, ms: number): Promise<null> {
    const done = new AbortController();
    await Promise.race([next, this.parts.clock.sleep(Math.max(1, ms), done.signal).catch(() => undefined)]);
    done.abort(PAUSE_ENDED);
    return null;
  }

  /** Null if something has arrived meanwhile. */
  async #suspend(at: number): Promise<Ending | null> {
    const retries = [...this.#pending].some((operation) => operation.kind === 'FUNCTION' && untilOf(operation) === at);
    const count = this.#arrivals?.count ?? 0;
    const suspended = await this.parts.journal.suspend({
      at,
      status: retries ? 'PENDING' : 'SLEEPING',
      arrivals: count,
    });
    this.#hasArrivals ||= !suspended;
    return suspended ? { how: 'suspended' } : null;
  }

  async #readArrivals(): Promise<void> {
    this.#hasArrivals = false;
    this.#arrivals = await this.parts.journal.readArrivals();
  }

  /** Code that waits for nothing could not be told: it is told as soon as it does. */
  #tellOfCancel(): void {
    const cancel = this.#arrivals?.cancel ?? null;
    if (cancel === null || this.#isCancelRecorded || this.#pending.size === 0) return;
    this.#isCancelRecorded = true;
    const order = ++this.#order;
    this.#work(CANCEL_KEY, async () => {
      const place = this.#cancelPlace();
      const startedAt = this.parts.clock.now();
      const result = { output: encodeValue(cancel), order, attempt: 1, startedAt };
      const step = await this.parts.journal.complete(place, result);
      if (!this.#isOurs(step, order)) await this.parts.journal.observe(place, order);
      this.#readyCancel(cancelOf(step), place, order);
    });
  }

  #cancelPlace(): StepPlace {
    return this.#placeOf(CANCEL_KEY, 'FUNCTION', null);
  }

  /** Where the code stands. */
  #placeOf(key: string, kind: StepPlace['kind'], parallelGroup: string | null): Ask['place'] {
    const { base } = this.history;
    return { key, kind, parallelGroup, position: this.#positions, seen: this.#told, slept: this.#slept, base };
  }

  /** It strikes everything the code has asked for by then: what came meanwhile must be counted in the record too. */
  #readyCancel(cancel: Cancel, place: StepPlace, order: number): void {
    this.#readyAt(order, () => {
      if (place.position === this.#positions) return this.#deliverCancel(cancel);
      this.#work(CANCEL_KEY, async () => {
        const now = this.#cancelPlace();
        await this.parts.journal.observe(now, order);
        this.#readyCancel(cancel, now, order);
      });
      return false;
    });
  }

  /** Everything the code waits for fails; what it asks for from now on, to clean up, goes on as usual. */
  #deliverCancel(cancel: Cancel): true {
    this.#cancel = cancel;
    const pending = [...this.#pending];
    const error = (): CancelledError => new CancelledError(undefined, cancel.reason);
    for (const operation of pending) this.abandon(operation, error());
    for (const operation of pending) operation.reject(error());
    return true;
  }
}

function cancelOf(step: RecordedStep | undefined): Cancel {
  const recorded = step?.state.status === 'COMPLETED' ? decodeValue(step.state.output) : null;
  return (recorded as Cancel | null) ?? { reason: null, until: Number.POSITIVE_INFINITY };
}

const sleepOver = (finishedAt: number): Outcome => ({ status: 'COMPLETED', output: undefined, finishedAt });

/** Of a sleep that was seen to end while something else was under way, its own time. */
function outcomeOf(recorded: RecordedStep | undefined): Outcome | null {
  const state = recorded?.state;
  if (state?.status === 'SLEEPING') return sleepOver(state.wakeAt);
  return state?.status === 'COMPLETED' || state?.status === 'FAILED' ? state : null;
}

const untilOf = ({ waiting }: Operation): number => (waiting.for === 'time' ? waiting.until : Number.POSITIVE_INFINITY);
const bySoonest = (a: Operation, b: Operation): number =>
  untilOf(a) - untilOf(b) || a.place.position - b.place.position;

/** One whose end is recorded was started once, and may be gone by now. */
const isUnstartedChild = ({ kind, waiting, recorded }: Operation): boolean =>
  kind === 'CHILD_WORKFLOW' &&
  outcomeOf(recorded) === null &&
  (waiting.for === 'start' || (waiting.for === 'work' && waiting.first));
