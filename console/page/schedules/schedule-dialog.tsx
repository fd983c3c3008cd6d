import { useState } from 'preact/hooks';
import { type ApiProblem, callApi, problemOf, within } from '../api.ts';
import { Dialog, DialogButtons } from '../parts/dialog.tsx';
import { JsonField } from '../parts/json-field.tsx';
import { goTo, hrefOf } from '../route.ts';
import type { Schedule } from '../wire.ts';
import { FirePreview } from './fire-preview.tsx';
import { changesOf, creationOf, draftOf, OVERLAPS, type ScheduleDraft, specOf } from './schedule-draft.ts';
import { zonesHere } from './show-spec.ts';

interface ScheduleDialogProps {
  readonly namespace: string;
  /** Null for a new one. */
  readonly schedule: Schedule | null;
  readonly onClose: () => void;
  readonly onSaved: () => void;
}

export const ScheduleDialog = ({ namespace, schedule, onClose, onSaved }: ScheduleDialogProps) => {
  const [draft, setDraft] = useState<ScheduleDraft>(() => draftOf(schedule));
  const [isJson, setIsJson] = useState(true);
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const [busy, setBusy] = useState(false);
  const set = (change: Partial<ScheduleDraft>): void => setDraft({ ...draft, ...change });
  const text = (name: keyof ScheduleDraft) => ({
    value: String(draft[name]),
    onInput: (event: Event & { readonly currentTarget: HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement }) =>
      set({ [name]: event.currentTarget.value }),
  });
  const save = async (event: Event): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    try {
      if (schedule === null) {
        const made = await callApi<Schedule>(within(namespace, '/schedules'), { body: creationOf(draft) });
        goTo(hrefOf({ namespace, view: 'schedules', id: made.schedule_id }));
      } else {
        const path = within(namespace, `/schedules/${encodeURIComponent(schedule.schedule_id)}`);
        await callApi(path, { method: 'PATCH', body: changesOf(draft, schedule) });
      }
      onSaved();
      onClose();
    } catch (error) {
      setProblem(problemOf(error));
      setBusy(false);
    }
  };
  return (
    <Dialog wide title={schedule === null ? 'Create a schedule' : `Edit ${schedule.schedule_id}`} onClose={onClose}>
      <form onSubmit={(event) => void save(event)}>
        <div class="fields">
          {schedule === null && (
            <label class="field">
              <span>Name (an id is made if empty)</span>
              <input {...text('id')} autocomplete="off" />
            </label>
          )}
          <label class="field">
            <span>Workflow type</span>
            <input {...text('type')} required autocomplete="off" />
          </label>
          <label class="field">
            <span>Task queue</span>
            <input {...text('queue')} required />
          </label>
        </div>
        <div class="fields">
          <label class="field">
            <span>Cron expressions, one a line</span>
            <textarea {...text('cron')} rows={2} class="mono" spellcheck={false} />
          </label>
          <div>
            <label class="field">
              <span>Time zone</span>
              <input {...text('zone')} list="zones" required autocomplete="off" />
              <datalist id="zones">
                {zonesHere().map((zone) => (
                  <option key={zone} value={zone} />
                ))}
              </datalist>
            </label>
            <label class="field">
              <span>And every so many seconds (may be empty)</span>
              <input {...text('every')} type="number" min={1} />
            </label>
          </div>
        </div>
        <FirePreview namespace={namespace} spec={specOf(draft, schedule)} />
        <JsonField
          label="Input, as JSON (may be empty)"
          rows={3}
          value={draft.input}
          onChange={(input, right) => {
            set({ input });
            setIsJson(right);
          }}
        />
        <div class="fields">
          <label class="field">
            <span>While a run is still open</span>
            <select value={draft.overlap} onChange={(event) => set({ overlap: event.currentTarget.value })}>
              {Object.entries(OVERLAPS).map(([policy, label]) => (
                <option key={policy} value={policy}>
                  {label}
                </option>
              ))}
            </select>
          </label>
          <label class="field">
            <span>Missed fires to catch up</span>
            <input {...text('maxCatchup')} type="number" min={0} max={10_000} required />
          </label>
          <label class="field">
            <span>Note</span>
            <input {...text('note')} maxLength={256} />
          </label>
        </div>
        {problem !== null && (
          <p class="error-text" role="alert">
            {problem.message}
          </p>
        )}
        <DialogButtons onClose={onClose}>
          <button type="submit" class="button primary" disabled={busy || !isJson}>
            {schedule === null ? 'Create' : 'Save'}
          </button>
        </DialogButtons>
      </form>
    </Dialog>
  );
};
