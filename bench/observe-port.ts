type Around = <T>(call: () => Promise<T>) => Promise<T>;

/** The same port, with the named calls passed through `around`. */
export function observePort<P extends object>(port: P, calls: readonly (keyof P)[], around: Around): P {
  return new Proxy(port, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function') return member;
      // Bound to the adapter itself: its private fields are not the proxy's.
      const method = member.bind(target) as (...args: readonly unknown[]) => Promise<unknown>;
      if (!calls.includes(name as keyof P)) return method;
      return (...args: readonly unknown[]) => around(() => method(...args));
    },
  });
}
