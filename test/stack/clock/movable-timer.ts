/** Timers as this process had them before the clock was installed. */
export const real = {
  Date,
  now: Date.now.bind(Date),
  monotonic: performance.now.bind(performance),
  setTimeout,
  clearTimeout,
};

/** Until what was due at once when the clock was moved: answers that are on their way come first. */
const GRACE_MS = 100;

const pending = new Set<MovableTimer>();

/** A timer that is due earlier when the clock is moved. */
export class MovableTimer {
  #due = 0;
  #native: NodeJS.Timeout | null = null;
  #isRef = true;

  constructor(
    private readonly callback: () => void,
    private readonly delayMs: number,
    private readonly repeats: boolean,
  ) {
    this.refresh();
  }

  refresh(): this {
    this.#due = real.monotonic() + this.delayMs;
    pending.add(this);
    this.#arm(this.delayMs);
    return this;
  }

  close(): void {
    pending.delete(this);
    if (this.#native !== null) real.clearTimeout(this.#native);
  }

  ref(): this {
    this.#isRef = true;
    this.#native?.ref();
    return this;
  }

  unref(): this {
    this.#isRef = false;
    this.#native?.unref();
    return this;
  }

  hasRef(): boolean {
    return this.#isRef;
  }

  [Symbol.dispose](): void {
    this.close();
  }

  /** In the order in which they are due. */
  static moveAll(ms: number): void {
    for (const timer of [...pending].sort((a, b) => a.#due - b.#due)) timer.#move(ms);
  }

  /** Whoever made them and went leaves them behind: they keep no process alive. */
  static unrefAll(): void {
    for (const timer of pending) timer.unref();
  }

  #move(ms: number): void {
    const left = this.#due - real.monotonic();
    this.#due -= ms;
    this.#arm(Math.max(Math.min(left, GRACE_MS), left - ms));
  }

  #arm(ms: number): void {
    if (this.#native !== null) real.clearTimeout(this.#native);
    this.#native = real.setTimeout(() => this.#fire(), ms);
    if (!this.#isRef) this.#native.unref();
  }

  #fire(): void {
    pending.delete(this);
    if (this.repeats) this.refresh();
    this.callback();
  }
}
