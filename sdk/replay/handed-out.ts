/**
 * A promise that the author's code gets. It knows whether anybody has looked at it, because `await`, `then` and
 * `Promise.all` all call its `then`; and a rejection that nobody looks at does not end the process.
 */
export class HandedOut<T> extends Promise<T> {
  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  #looked = false;

  static from<T>(promise: Promise<T>, onError: (error: unknown, promise: HandedOut<T>) => void): HandedOut<T> {
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
}
