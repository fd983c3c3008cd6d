import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiProblem, callApi, problemOf, within } from '../api.ts';
import { Dialog, DialogButtons } from '../parts/dialog.tsx';
import { plural } from '../show-number.ts';

interface CancelDialogProps {
  readonly namespace: string;
  readonly runIds: readonly string[];
  /** There are more that match than were counted. */
  readonly capped?: boolean;
  readonly onClose: (done: boolean) => void;
}

interface Progress {
  readonly cancelled: number;
  readonly ended: number;
  readonly problem: ApiProblem | null;
}

const AT_ONCE = 4;

/** Asks first, and says how many. */
export const CancelDialog = ({ namespace, runIds, capped = false, onClose }: CancelDialogProps) => {
  const [reason, setReason] = useState('');
  const [progress, setProgress] = useState<Progress | null>(null);
  const [busy, setBusy] = useState(false);
  const what = plural(runIds.length, 'run');
  const done = progress !== null && !busy;
  /** Whoever closes the question while runs are being cancelled wants no more of it. */
  const closed = useRef(false);
  useEffect(
    () => () => {
      closed.current = true;
    },
    [],
  );
  const cancel = async (): Promise<void> => {
    setBusy(true);
    const result = await cancelAll(namespace, runIds, reason.trim(), (now) => {
      if (!closed.current) setProgress(now);
      return !closed.current;
    });
    if (closed.current) return;
    setBusy(false);
    if (result.problem === null && result.ended === 0) onClose(true);
  };
  return (
    <Dialog title={`Cancel ${what}?`} onClose={() => onClose(done)}>
      <p>
        {runIds.length === 1 ? 'It ends' : 'They end'} at once, with everything started below; steps under way get a
        signal to stop. This cannot be undone.
        {capped && ' More runs match than are counted at once: these are the newest of them.'}
      </p>
      <label class="field">
        <span>Reason (kept with the run)</span>
        <input
          value={reason}
          maxLength={256}
          disabled={busy || done}
          onInput={(event) => setReason(event.currentTarget.value)}
        />
      </label>
      <p role="status">{progress !== null && progressText(progress, runIds.length)}</p>
      {progress?.problem !== null && progress?.problem !== undefined && (
        <p class="error-text" role="alert">
          {progress.problem.message}
        </p>
      )}
      <DialogButtons onClose={() => onClose(done)} close={busy ? 'Stop' : 'Close'}>
        {!done && (
          <button type="button" class="button danger" disabled={busy} onClick={() => void cancel()}>
            Cancel {what}
          </button>
        )}
      </DialogButtons>
    </Dialog>
  );
};

function progressText({ cancelled, ended }: Progress, of: number): string {
  const already = ended === 0 ? '' : `; ${ended} had ended already`;
  return `${cancelled} of ${of} cancelled${already}.`;
}

async function cancelAll(
  namespace: string,
  runIds: readonly string[],
  reason: string,
  /** Answers whether to go on. */
  tell: (progress: Progress) => boolean,
): Promise<Progress> {
  const left = [...runIds];
  let progress: Progress = { cancelled: 0, ended: 0, problem: null };
  const work = async (): Promise<void> => {
    for (let runId = left.shift(); runId !== undefined && progress.problem === null; runId = left.shift()) {
      try {
        await callApi(within(namespace, `/runs/${runId}/cancel`), { body: reason === '' ? {} : { reason } });
        progress = { ...progress, cancelled: progress.cancelled + 1 };
      } catch (error) {
        const gone = error instanceof ApiProblem && (error.code === 'RUN_FINISHED' || error.code === 'RUN_NOT_FOUND');
        progress = gone ? { ...progress, ended: progress.ended + 1 } : { ...progress, problem: problemOf(error) };
      }
      if (!tell(progress)) return;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return progress;
}
