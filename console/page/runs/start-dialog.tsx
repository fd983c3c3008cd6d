import { useState } from 'preact/hooks';
import { type ApiProblem, callApi, problemOf, within } from '../api.ts';
import { Dialog, DialogButtons } from '../parts/dialog.tsx';
import { JsonField } from '../parts/json-field.tsx';
import { rawJson } from '../readable-json.ts';
import { useOnce } from '../request-id.ts';
import { goTo, runHref } from '../route.ts';
import { typeNames } from '../served-types.ts';
import type { WorkflowType } from '../wire.ts';

interface StartDialogProps {
  readonly namespace: string;
  readonly types: readonly WorkflowType[];
  readonly type: WorkflowType | null;
  readonly onClose: () => void;
}

const inputOf = (type: WorkflowType | null): string =>
  type?.example_input === undefined ? '' : rawJson(type.example_input);

export const StartDialog = ({ namespace, types, type, onClose }: StartDialogProps) => {
  const [name, setName] = useState(type?.workflow_type ?? '');
  const [queue, setQueue] = useState(type?.task_queue ?? 'default');
  const [input, setInput] = useState(inputOf(type));
  const [externalId, setExternalId] = useState('');
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const [isJson, setIsJson] = useState(true);
  const [busy, setBusy] = useState(false);

  const choose = (typed: string): void => {
    const known = types.find(({ workflow_type }) => workflow_type === typed) ?? null;
    const before = types.find(({ workflow_type }) => workflow_type === name) ?? null;
    setName(typed);
    if (known === null) return;
    setQueue(known.task_queue);
    if (input === '' || input === inputOf(before)) setInput(inputOf(known));
  };
  const body = () => ({
    workflow_type: name.trim(),
    task_queue: queue.trim(),
    ...(input.trim() === '' ? {} : { input: JSON.parse(input) as unknown }),
    ...(externalId.trim() === '' ? {} : { external_id: externalId.trim() }),
  });
  const startOnce = useOnce((request_id) =>
    callApi<{ readonly run_id: string }>(within(namespace, '/runs'), {
      body: externalId.trim() === '' ? { ...body(), request_id } : body(),
    }),
  );
  const start = async (event: Event): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    try {
      const { run_id } = await startOnce(JSON.stringify(body()));
      goTo(runHref(namespace, run_id));
    } catch (error) {
      setProblem(problemOf(error));
      setBusy(false);
    }
  };
  return (
    <Dialog title="Start a run" onClose={onClose}>
      <form onSubmit={(event) => void start(event)}>
        <label class="field">
          <span>Workflow type</span>
          <input
            list="known-types"
            value={name}
            required
            autocomplete="off"
            onInput={(event) => choose(event.currentTarget.value)}
          />
          <datalist id="known-types">
            {typeNames(types).map((type) => (
              <option key={type} value={type} />
            ))}
          </datalist>
        </label>
        <label class="field">
          <span>Task queue</span>
          <input value={queue} required onInput={(event) => setQueue(event.currentTarget.value)} />
        </label>
        <JsonField
          label="Input, as JSON (may be empty)"
          rows={6}
          value={input}
          onChange={(text, right) => {
            setInput(text);
            setIsJson(right);
          }}
        />
        <label class="field">
          <span>External id (the same id always means the same run)</span>
          <input value={externalId} maxLength={256} onInput={(event) => setExternalId(event.currentTarget.value)} />
        </label>
        {problem !== null && (
          <p class="error-text" role="alert">
            {problem.message}
          </p>
        )}
        <DialogButtons onClose={onClose}>
          <button type="submit" class="button primary" disabled={busy || !isJson || name.trim() === ''}>
            Start
          </button>
        </DialogButtons>
      </form>
    </Dialog>
  );
};
