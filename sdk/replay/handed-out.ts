export interface Handed {
  readonly isLookedAt: boolean;
}
/** Hears of errors in promises that the code got, and what it had asked for. */
export interface Watcher {
  failed(what: string, error: unknown, promise: Handed): void;
}

const unset = (): void => undefined;

/**
 * A promise that the author's code gets. It knows whether anybody has looked at it; and a rejection that nobody looks
 * at does not end the process.
 */
export class HandedOut<T> extends Promise<T> {
  static {
    // `await`, `then` and `Promise.all` all ask a promise for its constructor first. As they find the plain one, what is
    // awaited is this promise itself: of any other they would make a second one, and wait for that.
    void Object.defineProperty(HandedOut.prototype, 'constructor', {
      get(this: object) {
        if (#looked in this) this.#looked = true;
        return Promise;
      },
    });
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
      promise.#onError(unset);
      fail(error);
      promise.#failed(error);
    };
    return { promise, resolve, reject };
  }

  static from<T>(promise: Promise<T>, what: string, watcher: Watcher): HandedOut<T> {
    if (promise instanceof HandedOut) return promise.#watched(what, watcher);
    const handed = new HandedOut<T>((resolve) => resolve(promise));
    handed.#onError((error) => watcher.failed(what, error, handed));
    return handed;
  }

  get isLookedAt(): boolean {
    return this.#looked;
  }

  /** Hears of its error without being somebody who looked; then nobody's looking away from it ends the process. */
  #onError(callback: (error: unknown) => void): void {
    const looked = this.#looked;
    void this.then(undefined, callback);
    this.#looked = looked;
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
