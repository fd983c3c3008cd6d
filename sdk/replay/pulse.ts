/** Something that happens again and again, and can be waited for. */
export class Pulse {
  #next: Promise<null> | null = null;
  #wake: ((nothing: null) => void) | null = null;

  beat(): void {
    const wake = this.#wake;
    this.#next = null;
    this.#wake = null;
    wake?.(null);
  }

  /** Whatever happens after this call counts. */
  next(): Promise<null> {
    this.#next ??= new Promise((resolve) => {
      this.#wake = resolve;
    });
    return this.#next;
  }
}
