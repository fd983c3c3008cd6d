/** An outcome that waits for its turn. */
export interface Delivery {
  readonly order: number;
  deliver(): void;
}

/** Deliveries by order, the least first: a binary heap. */
export class DeliveryQueue {
  readonly #heap: Delivery[] = [];

  get size(): number {
    return this.#heap.length;
  }

  peek(): Delivery | undefined {
    return this.#heap[0];
  }

  push(delivery: Delivery): void {
    const heap = this.#heap;
    let at = heap.length;
    heap.push(delivery);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = heap[parent] as Delivery;
      if (above.order <= delivery.order) break;
      heap[at] = above;
      at = parent;
    }
    heap[at] = delivery;
  }

  pop(): Delivery | undefined {
    const heap = this.#heap;
    const top = heap[0];
    const last = heap.pop();
    if (top === undefined || last === undefined || heap.length === 0) return top;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      const right = heap[child + 1];
      if (right !== undefined && right.order < (heap[child] as Delivery).order) child += 1;
      const below = heap[child] as Delivery;
      if (below.order >= last.order) break;
      heap[at] = below;
      at = child;
    }
    heap[at] = last;
    return top;
  }
}
