/** A signal that follows others, and lets go of them when it is no longer needed. */
export interface LinkedSignal {
  readonly signal: AbortSignal;
  readonly unlink: () => void;
}

/** `AbortSignal.any` leaves a trace on a long-lived signal for every one made from it; this leaves none. */
export function linkSignals(...sources: readonly (AbortSignal | undefined)[]): LinkedSignal {
  const given = sources.filter((source) => source !== undefined);
  const [only] = given;
  if (only !== undefined && given.length === 1) return { signal: only, unlink: () => undefined };
  const linked = new AbortController();
  const follow = ({ target }: Event): void => linked.abort((target as AbortSignal).reason);
  for (const source of given) {
    if (source.aborted) linked.abort(source.reason);
    source.addEventListener('abort', follow, { once: true });
  }
  return {
    signal: linked.signal,
    unlink: () => {
      for (const source of given) source.removeEventListener('abort', follow);
    },
  };
}
