import { useEffect, useState } from 'preact/hooks';
import { type ApiProblem, callApi, problemOf, within } from '../api.ts';
import type { specOf } from './schedule-draft.ts';
import { showInZone } from './show-spec.ts';

const TYPING_MS = 300;
const SHOWN = 10;

interface FirePreviewProps {
  readonly namespace: string;
  readonly spec: ReturnType<typeof specOf>;
}

/** The next fires of what is being written, in its zone, or what is wrong with it. */
export const FirePreview = ({ namespace, spec }: FirePreviewProps) => {
  const [times, setTimes] = useState<readonly string[]>([]);
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const asked = JSON.stringify(spec);
  useEffect(() => {
    const stopping = new AbortController();
    const ask = async (): Promise<void> => {
      try {
        const body = { ...spec, count: SHOWN };
        const path = within(namespace, '/schedules/preview');
        const answer = await callApi<{ readonly fire_times: readonly string[] }>(path, {
          body,
          signal: stopping.signal,
        });
        setTimes(answer.fire_times);
        setProblem(null);
      } catch (error) {
        if (!stopping.signal.aborted) setProblem(problemOf(error));
      }
    };
    const timer = setTimeout(() => void ask(), TYPING_MS);
    return () => {
      clearTimeout(timer);
      stopping.abort();
    };
  }, [asked]);
  return (
    <section class="preview" aria-label="Next fires" aria-live="polite">
      <h3>Next fires</h3>
      {problem === null ? (
        <FireTimes zone={spec.timezone} times={times} />
      ) : (
        <p class="error-text">{problem.message}</p>
      )}
    </section>
  );
};

export const FireTimes = ({ zone, times }: { readonly zone: string; readonly times: readonly string[] }) =>
  times.length === 0 ? (
    <p class="faint">None.</p>
  ) : (
    <ol class="fire-times">
      {times.map((at) => (
        <li key={at}>{showInZone(zone, at)}</li>
      ))}
    </ol>
  );
