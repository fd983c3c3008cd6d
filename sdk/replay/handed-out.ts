export interface Handed {
  readonly isLookedAt: boolean;
}
type OnError = (error: unknown, promise: Handed) => void;

/**
 * A promise that the author's code gets. It knows whether anybody has looked at it, because `await`, `then` and
 * `Promise.all` all call its `then`; and a rejection that nobody looks at does not end the process.
 */
export class HandedOut<T> extends Promise<T> {
  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  #looked = false;
  #onError: OnError | null = null;
  #error: { readonly error: unknown } | null = null;

  /** One that is settled from outside. */
  static make<T>(): {
    readonly promise: HandedOut<T>;
    readonly resolve: (value: T) => void;
    readonly reject: (error: unknown) => void;
  } {
    let resolve: (value: T) => void = () => undefined;
    let fail: (error: unknown) => void = () => undefined;
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

  static from<T>(promise: Promise<T>, onError: OnError): HandedOut<T> {
    if (promise instanceof HandedOut) return promise.#told(onError);
    const handed = new HandedOut<T>((resolve) => resolve(promise));
    void Promise.prototype.then.call(handed, undefined, (error: unknown) => onError(error, handed));
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
    void Promise.prototype.then.call(this, undefined, () => undefined);
  }

  #told(onError: OnError): this {
    this.#onError = onError;
    if (this.#error !== null) onError(this.#error.error, this);
    return this;
  }

  #failed(error: unknown): void {
    this.#error = { error };
    this.#onError?.(error, this);
  }
}
