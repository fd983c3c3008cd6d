export interface CutOff<Port> {
  readonly port: Port;
  /** From now on calls wait. */
  cut(): void;
  /** Those that waited are made now, in their order, and the others at once. */
  heal(): void;
}

/** A port as a process sees it that may be cut off for a while: what it wants to write then comes late. */
export function cutOff<Port extends object>(given: Port): CutOff<Port> {
  let healed = Promise.resolve();
  let heal = (): void => undefined;
  const port = new Proxy(given, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      return async (...args: unknown[]) => {
        await healed;
        return (value as (...given: unknown[]) => unknown).apply(target, args);
      };
    },
  });
  return {
    port,
    cut() {
      healed = new Promise((resolve) => {
        heal = resolve;
      });
    },
    heal: () => heal(),
  };
}
