import { useEffect, useState } from 'preact/hooks';

/** The time of the browser, which moves on every so often: for ages and bars that grow. */
export function useNow(everyMs: number): number {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    if (everyMs <= 0) return undefined;
    const timer = setInterval(() => {
      if (!document.hidden) setNow(Date.now());
    }, everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}
