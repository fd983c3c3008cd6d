interface Turn {
  readonly over: Promise<void>;
  readonly by: typeof setImmediate;
}

let turn: Turn | null = null;

/** Every microtask comes before the next macrotask: one of those serves all the runs of the process that wait for it. */
export function nextTurn(): Promise<void> {
  // Tests that put timers of their own in place, and take them away, must leave nobody waiting.
  if (turn === null || turn.by !== setImmediate) turn = { over: begin(), by: setImmediate };
  return turn.over;
}

const begin = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(() => {
      turn = null;
      resolve();
    });
  });
