/** Something that happens again and again, and can be waited for. */
export class Pulse {
  #waiting: (() => void)[] = [];

  beat(): void {
    for (const wake of this.#waiting.splice(0)) wake();
  }

  /** Whatever happens after this call counts. */
  next(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}
