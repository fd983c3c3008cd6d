export interface Handed {
  readonly isLookedAt: boolean;
}
/** Hears of errors in promises that the code got, and what it had asked for. */
export interface Watcher {
  failed(what: string, error: unknown, promise: Handed): void;
}

const unset = (): void => undefined;

/**
 * A promise that the author's code gets. It knows whether anybody has looked at it, because `await`, `then` and
 * `Promise.all` all call its `then`; and a rejection that nobody looks at does not end the process.
 */
export class HandedOut<T> extends Promise<T> {
  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  #looked = false;
  #watcher: Watcher | null = null;
  #what = '';
  #error: { readonly error: unknown } | null = null;

  /** One that is settled from outside. */
  static make<T>(): {
    readonly promise: HandedOut<T>;
    readonly resolve: (value: T) => void;
    readonly reject: (error: unknown) => void;
  } {
    let resolve: (value: T) => void = unset;
    let fail: (error: unknown) => void = unset;
    const promise = new HandedOut<T>((onValue, onError) => {
      resolve = onValue;
      fail = onError;
    });
    const reject = (error: unknown): void => {
      promise.#guard();
      fail(error);
      promise.#failed(error);
    };
    return { promise, resolve, reject };
  }

  static from<T>(promise: Promise<T>, what: string, watcher: Watcher): HandedOut<T> {
    if (promise instanceof HandedOut) return promise.#watched(what, watcher);
    const handed = new HandedOut<T>((resolve) => resolve(promise));
    void Promise.prototype.then.call(handed, undefined, (error: unknown) => watcher.failed(what, error, handed));
    return handed;
  }

  get isLookedAt(): boolean {
    return this.#looked;
  }

  // biome-ignore lint/suspicious/noThenProperty: a promise has one
  override then<A = T, B = never>(
    onResolved?: ((value: T) => A | PromiseLike<A>) | null,
    onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    this.#looked = true;
    return super.then(onResolved, onRejected);
  }

  /** Nobody's looking away from it ends the process. */
  #guard(): void {
    void Promise.prototype.then.call(this, undefined, unset);
  }

  #watched(what: string, watcher: Watcher): this {
    this.#what = what;
    this.#watcher = watcher;
    if (this.#error !== null) watcher.failed(what, this.#error.error, this);
    return this;
  }

  #failed(error: unknown): void {
    this.#error = { error };
    this.#watcher?.failed(this.#what, error, this);
  }
}
