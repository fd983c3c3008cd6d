import { useState } from 'preact/hooks';
import { type ApiProblem, callApi, problemOf } from '../api.ts';
import { Dialog, DialogButtons } from '../parts/dialog.tsx';
import { plural } from '../show-number.ts';
import type { Schedule } from '../wire.ts';
import { localText } from './local-time.ts';
import { OVERLAPS } from './schedule-draft.ts';

interface BackfillDialogProps {
  readonly path: string;
  /** Of the schedule. */
  readonly policy: Schedule['overlap_policy'];
  readonly onClose: () => void;
  readonly onDone: () => void;
}

const DAY_MS = 86_400_000;

export const BackfillDialog = ({ path, policy, onClose, onDone }: BackfillDialogProps) => {
  const [from, setFrom] = useState(localText(Date.now() - DAY_MS));
  const [to, setTo] = useState(localText(Date.now()));
  const [overlap, setOverlap] = useState(policy === 'allow_all' ? policy : 'buffer_all');
  const [fires, setFires] = useState<number | null>(null);
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const start = async (event: Event): Promise<void> => {
    event.preventDefault();
    try {
      const body = { from: new Date(from).toISOString(), to: new Date(to).toISOString(), overlap_policy: overlap };
      setFires((await callApi<{ readonly fires: number }>(`${path}/backfill`, { body })).fires);
      setProblem(null);
      onDone();
    } catch (error) {
      setProblem(problemOf(error));
    }
  };
  return (
    <Dialog wide title="Backfill" onClose={onClose}>
      <p>Starts the runs of a range of the past, except those that there are already.</p>
      <form onSubmit={(event) => void start(event)}>
        <div class="fields times">
          <label class="field">
            <span>From</span>
            <input
              type="datetime-local"
              step={1}
              required
              value={from}
              onInput={(event) => setFrom(event.currentTarget.value)}
            />
          </label>
          <label class="field">
            <span>To</span>
            <input
              type="datetime-local"
              step={1}
              required
              value={to}
              onInput={(event) => setTo(event.currentTarget.value)}
            />
          </label>
        </div>
        <label class="field">
          <span>While a run is still open</span>
          <select value={overlap} onChange={(event) => setOverlap(event.currentTarget.value)}>
            {Object.entries(OVERLAPS).map(([policy, label]) => (
              <option key={policy} value={policy}>
                {label}
              </option>
            ))}
          </select>
        </label>
        <p role="status">{fires !== null && `${plural(fires, 'time')} in the range: their runs are being started.`}</p>
        {problem !== null && (
          <p class="error-text" role="alert">
            {problem.message}
          </p>
        )}
        <DialogButtons onClose={onClose}>
          {fires === null && (
            <button type="submit" class="button primary">
              Backfill
            </button>
          )}
        </DialogButtons>
      </form>
    </Dialog>
  );
};
