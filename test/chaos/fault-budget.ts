/** How many faults of a kind are to happen, spread over the whole of the load. */
export class FaultBudget {
  #done = 0;
  #underWay = 0;

  constructor(
    readonly total: number,
    /** From 0 to 1. */
    private readonly progress: () => number,
  ) {}

  get done(): number {
    return this.#done;
  }

  get isSpent(): boolean {
    return this.#done >= this.total;
  }

  get isDue(): boolean {
    return this.#done + this.#underWay < this.total * this.progress();
  }

  /** Counts only if the fault has hit what it was meant for. */
  async spend(fault: () => Promise<boolean>): Promise<void> {
    this.#underWay += 1;
    try {
      if (await fault()) this.#done += 1;
    } finally {
      this.#underWay -= 1;
    }
  }

  count(): void {
    this.#done += 1;
  }
}
