import { useState } from 'preact/hooks';
import { type ApiProblem, callApi, problemOf, within } from '../api.ts';
import { Dialog, DialogButtons } from '../parts/dialog.tsx';
import { JsonField } from '../parts/json-field.tsx';
import { useOnce } from '../request-id.ts';
import { goTo, hrefOf } from '../route.ts';
import { typeNames, useServedTypes } from '../served-types.ts';
import type { Schedule } from '../wire.ts';
import { DraftField, type DraftProps } from './draft-fields.tsx';
import { FirePreview } from './fire-preview.tsx';
import { changesOf, creationOf, draftOf, problemsIn, type ScheduleDraft, specOf } from './schedule-draft.ts';
import { SchedulePolicies } from './schedule-policies.tsx';
import { ScheduleTimes } from './schedule-times.tsx';

interface ScheduleDialogProps {
  readonly namespace: string;
  /** Null for a new one. */
  readonly schedule: Schedule | null;
  readonly onClose: () => void;
  readonly onSaved: () => void;
}

export const ScheduleDialog = ({ namespace, schedule, onClose, onSaved }: ScheduleDialogProps) => {
  const { types } = useServedTypes(namespace);
  const [draft, setDraft] = useState<ScheduleDraft>(() => draftOf(schedule));
  const [isJson, setIsJson] = useState(true);
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const [busy, setBusy] = useState(false);
  const set = (change: Partial<ScheduleDraft>): void => setDraft({ ...draft, ...change });
  const problems = problemsIn(draft);
  const fields: DraftProps = { draft, problems, set };
  const create = useOnce((request_id) =>
    callApi<Schedule>(within(namespace, '/schedules'), { body: { ...creationOf(draft), request_id } }),
  );
  const save = async (event: Event): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    try {
      if (schedule === null) {
        const made = await create(JSON.stringify(creationOf(draft)));
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
          {schedule === null && <DraftField {...fields} name="id" label="Name (an id is made if empty)" />}
          <DraftField {...fields} name="type" label="Workflow type" input={{ required: true, list: 'known-types' }} />
          <datalist id="known-types">
            {typeNames(types).map((name) => (
              <option key={name} value={name} />
            ))}
          </datalist>
          <DraftField {...fields} name="version" label="Version" input={{ required: true }} />
          <DraftField {...fields} name="queue" label="Task queue" input={{ required: true }} />
        </div>
        <ScheduleTimes {...fields} />
        {problems.every === undefined && <FirePreview namespace={namespace} spec={specOf(draft, schedule)} />}
        <JsonField
          label="Input, as JSON (may be empty)"
          rows={3}
          value={draft.input}
          onChange={(input, right) => {
            set({ input });
            setIsJson(right);
          }}
        />
        <SchedulePolicies {...fields} />
        <DraftField {...fields} name="note" label="Note" input={{ maxLength: 256 }} />
        {problem !== null && (
          <p class="error-text" role="alert">
            {problem.message}
          </p>
        )}
        <DialogButtons onClose={onClose}>
          <button type="submit" class="button primary" disabled={busy || !isJson || Object.keys(problems).length > 0}>
            {schedule === null ? 'Create' : 'Save'}
          </button>
        </DialogButtons>
      </form>
    </Dialog>
  );
};
