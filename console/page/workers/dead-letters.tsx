import { useState } from 'preact/hooks';
import { type ApiProblem, callApi, problemOf, within } from '../api.ts';
import { EmptyNote } from '../parts/notes.tsx';
import { runHref } from '../route.ts';
import { showAge, showTime } from '../show-time.ts';
import type { DeadLetter } from '../wire.ts';

interface DeadLettersProps {
  readonly namespace: string;
  readonly letters: readonly DeadLetter[];
  readonly now: number;
  readonly onChange: () => void;
}

export const DeadLetters = ({ namespace, letters, now, onChange }: DeadLettersProps) => {
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const [sending, setSending] = useState<ReadonlySet<string>>(new Set());
  const redrive = async (id: string): Promise<void> => {
    setSending((ids) => new Set(ids).add(id));
    try {
      await callApi(within(namespace, `/dead-letters/${encodeURIComponent(id)}/redrive`), { method: 'POST' });
      setProblem(null);
    } catch (error) {
      setProblem(problemOf(error));
    }
    setSending((ids) => new Set([...ids].filter((other) => other !== id)));
    onChange();
  };
  return (
    <section aria-labelledby="letters-title">
      <h2 id="letters-title">Dead letters</h2>
      {problem !== null && (
        <p class="error-text" role="alert">
          {problem.message}
        </p>
      )}
      {letters.length === 0 ? (
        <EmptyNote icon="check" title="None">
          <p>A message that was delivered too often without success would show here, to be sent again.</p>
        </EmptyNote>
      ) : (
        <div class="table-frame">
          <table>
            <thead>
              <tr>
                <th>Message</th>
                <th>Queue</th>
                <th>Died</th>
                <th>
                  <span class="visually-hidden">Actions</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {letters.map((letter) => (
                <tr key={letter.id}>
                  <td class="main-cell">
                    {letter.workflow_type}
                    {letter.run_id !== null && (
                      <a class="sub mono" href={runHref(namespace, letter.run_id)}>
                        {letter.run_id}
                      </a>
                    )}
                  </td>
                  <td class="clip" data-name="Queue" title={letter.task_queue}>
                    {letter.task_queue}
                  </td>
                  <td data-name="Died" title={showTime(letter.died_at)}>
                    {showAge(letter.died_at, now)}
                  </td>
                  <td class="number">
                    <button
                      type="button"
                      class="button small"
                      disabled={sending.has(letter.id)}
                      onClick={() => void redrive(letter.id)}
                    >
                      Redrive
                    </button>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
};
