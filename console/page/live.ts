import { useEffect, useRef, useState } from 'preact/hooks';
import { type ApiProblem, problemOf } from './api.ts';

export interface Pace {
  /** Between two looks while things change. */
  readonly minMs: number;
  /** While nothing changes, the pauses grow to this. */
  readonly maxMs: number;
}

export interface Live<T> {
  readonly data: T | null;
  readonly problem: ApiProblem | null;
  /** When the data was last seen to be true. */
  readonly at: number | null;
  readonly refresh: () => void;
}

export const PACE: Pace = { minMs: 1_000, maxMs: 10_000 };
const GROWTH = 1.5;
const PROBLEM_CAP_MS = 30_000;

/**
 * Looks again and again, one look at a time: soon after a change, ever later while nothing changes or nobody answers,
 * not at all while the tab is hidden. `key` names what is looked at; `pace` is asked after each look, null ends it.
 * A look that takes long may `tell` what it has so far.
 */
export function useLive<T>(
  key: string,
  load: (signal: AbortSignal, last: T | null, tell: (soFar: T) => void) => Promise<T>,
  pace: (data: T) => Pace | null = () => PACE,
): Live<T> {
  const [state, setState] = useState<Omit<Live<T>, 'refresh'> & { readonly key: string }>(nothing(key));
  const latest = useRef({ load, pace });
  latest.current = { load, pace };
  const refresh = useRef<() => void>(() => undefined);

  useEffect(() => {
    const stopping = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let looking = false;
    /** Asked for while a look was under way, which may have been too early. */
    let wanted = false;
    let last: { readonly data: T; readonly text: string } | null = null;
    let pause = PACE.minMs;

    const look = async (): Promise<void> => {
      clearTimeout(timer);
      wanted = looking;
      if (looking || stopping.signal.aborted) return;
      looking = true;
      let next: number | null = pause;
      try {
        const data = await latest.current.load(stopping.signal, last?.data ?? null, (soFar) => {
          if (!stopping.signal.aborted) setState({ key, data: soFar, problem: null, at: Date.now() });
        });
        const text = JSON.stringify(data);
        const chosen = latest.current.pace(data);
        pause =
          chosen === null || text !== last?.text ? (chosen?.minMs ?? pause) : Math.min(chosen.maxMs, pause * GROWTH);
        next = chosen === null ? null : pause;
        last = { data, text };
        if (!stopping.signal.aborted) setState({ key, data, problem: null, at: Date.now() });
      } catch (error) {
        if (stopping.signal.aborted) return;
        pause = Math.min(PROBLEM_CAP_MS, pause * 2);
        next = pause;
        setState((before) => ({ ...(before.key === key ? before : nothing<T>(key)), problem: problemOf(error) }));
      } finally {
        looking = false;
      }
      if (wanted) return look();
      if (next !== null && !document.hidden && !stopping.signal.aborted) timer = setTimeout(() => void look(), next);
    };
    refresh.current = () => {
      pause = PACE.minMs;
      void look();
    };
    const onVisible = (): void => {
      clearTimeout(timer);
      if (!document.hidden) refresh.current();
    };
    document.addEventListener('visibilitychange', onVisible);
    void look();
    return () => {
      stopping.abort();
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', onVisible);
    };
  }, [key]);

  const shown = state.key === key ? state : nothing<T>(key);
  return { ...shown, refresh: () => refresh.current() };
}

const nothing = <T>(key: string) => ({ key, data: null as T | null, problem: null, at: null });
