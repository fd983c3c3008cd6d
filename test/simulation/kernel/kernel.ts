import { Trace } from './trace.ts';

export interface Planned {
  readonly at: number;
  cancel(): void;
}

interface Event {
  readonly at: number;
  readonly number: number;
  act: (() => void) | null;
}

const START = 1_800_000_000_000;
const TURNS = 64;
const [realImmediate, realClear] = [setImmediate, clearImmediate];

/**
 * One thread and a virtual clock. Whatever takes time is an event; between two events the code runs until it waits.
 * Nothing here reads the real time, so a seed plays the same way every time.
 */
export class Kernel {
  readonly trace = new Trace();
  /** The true time, which no process knows. */
  readonly clock = { now: (): number => this.#now };
  #now = START;
  #planned = 0;
  readonly #heap: Event[] = [];
  #immediates: (() => void)[] = [];
  #uninstall: (() => void) | null = null;
  #outside = 0;
  #turns = 0;

  get now(): number {
    return this.#now;
  }

  get elapsed(): number {
    return this.#now - START;
  }

  /** Later things come later; things of the same time in the order in which they were planned. */
  plan(delayMs: number, act: () => void): Planned {
    const event: Event = { at: this.#now + Math.max(0, Math.ceil(delayMs)), number: this.#planned++, act };
    this.#push(event);
    return {
      at: event.at,
      cancel: () => {
        event.act = null;
      },
    };
  }

  wait(delayMs: number): Promise<void> {
    return new Promise((resolve) => void this.plan(delayMs, resolve));
  }

  /** Until it is so, or nothing is left to happen, or the time is up. */
  async run(isDone: () => boolean, untilMs: number): Promise<'done' | 'idle' | 'late'> {
    this.#install();
    try {
      for (;;) {
        await this.settle();
        if (isDone()) return 'done';
        const event = this.#pop();
        if (event === null) return 'idle';
        if (event.at > untilMs) {
          this.#push(event);
          this.#now = Math.max(this.#now, untilMs);
          return 'late';
        }
        this.#now = event.at;
        event.act?.();
      }
    } finally {
      this.#uninstall?.();
    }
  }

  /** Time stands still while something outside the simulation is at work. */
  async real<T>(work: Promise<T>): Promise<T> {
    this.#outside += 1;
    try {
      return await work;
    } finally {
      this.#outside -= 1;
    }
  }

  /** The replay lets code run by setImmediate: here that is one more queue, and empty means that all code waits. */
  async settle(): Promise<void> {
    for (;;) {
      await this.#quiet();
      if (this.#immediates.length === 0 && this.#outside === 0) return;
      const due = this.#immediates;
      this.#immediates = [];
      for (const act of due) act();
    }
  }

  /** Until no promise has anything left to do. Node looks at unhandled rejections, and at the outside, less often. */
  #quiet(): Promise<void> {
    const looksUp = this.#outside > 0 || ++this.#turns % TURNS === 0;
    return new Promise((resolve) => {
      if (looksUp) realImmediate(resolve);
      else process.nextTick(resolve);
    });
  }

  #install(): void {
    const cleared = new WeakSet<object>();
    const own = (act: (...args: unknown[]) => void, ...args: unknown[]): object => {
      const handle = {};
      this.#immediates.push(() => {
        if (!cleared.has(handle)) act(...args);
      });
      return handle;
    };
    globalThis.setImmediate = own as unknown as typeof setImmediate;
    globalThis.clearImmediate = (handle) => void (handle && cleared.add(handle));
    this.#uninstall = () => {
      globalThis.setImmediate = realImmediate;
      globalThis.clearImmediate = realClear;
    };
  }

  #push(event: Event): void {
    const heap = this.#heap;
    let at = heap.length;
    heap.push(event);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = heap[parent] as Event;
      if (isBefore(above, event)) break;
      heap[at] = above;
      at = parent;
    }
    heap[at] = event;
  }

  #pop(): Event | null {
    for (;;) {
      const top = this.#popAny();
      if (top === null || top.act !== null) return top;
    }
  }

  #popAny(): Event | null {
    const heap = this.#heap;
    const top = heap[0] ?? null;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return top;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      const right = heap[child + 1];
      if (right !== undefined && isBefore(right, heap[child] as Event)) child += 1;
      const below = heap[child] as Event;
      if (isBefore(last, below)) break;
      heap[at] = below;
      at = child;
    }
    heap[at] = last;
    return top;
  }
}

const isBefore = (a: Event, b: Event): boolean => a.at < b.at || (a.at === b.at && a.number < b.number);
