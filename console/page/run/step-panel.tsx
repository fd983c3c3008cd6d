import { useMemo } from 'preact/hooks';
import { callApi, within } from '../api.ts';
import { useLive } from '../live.ts';
import { Fact } from '../parts/fact.tsx';
import { Icon } from '../parts/icon.tsx';
import { JsonBlock } from '../parts/json-block.tsx';
import { LoadingNote, ProblemNote } from '../parts/notes.tsx';
import { StatusBadge } from '../parts/status-badge.tsx';
import { rawJson, readableJson } from '../readable-json.ts';
import { runHref } from '../route.ts';
import { showLength, showTime } from '../show-time.ts';
import { visibleText } from '../visible-text.ts';
import type { Step } from '../wire.ts';
import { FailureBlock } from './failure-block.tsx';
import { lengthOf } from './timeline-bars.ts';

interface StepPanelProps {
  readonly namespace: string;
  readonly runId: string;
  /** As the list has it: it says when there is something new. */
  readonly step: Step;
  readonly now: number;
  readonly onClose: () => void;
}

export const StepPanel = ({ namespace, runId, step, now, onClose }: StepPanelProps) => {
  const live = useLive<Step>(
    `${runId} ${step.step_id} ${step.status} ${step.attempt}`,
    (signal) => callApi(within(namespace, `/runs/${runId}/step`), { query: { step_id: step.step_id }, signal }),
    () => null,
  );
  // It may be large: made anew with every look, not with every tick of the clock.
  const contents = useMemo(() => live.data !== null && <StepContents step={live.data} />, [live.data]);
  return (
    <aside class="step-panel" aria-label={`Step ${step.step_id}`}>
      <header>
        <h2>{visibleText(step.step_id)}</h2>
        <button type="button" class="icon-button" aria-label="Close the step" onClick={onClose}>
          <Icon name="cross" />
        </button>
      </header>
      <StepFacts namespace={namespace} step={step} now={now} />
      {live.data === null ? (
        live.problem === null ? (
          <LoadingNote what="the step" />
        ) : (
          <ProblemNote problem={live.problem} retry={live.refresh} />
        )
      ) : (
        contents
      )}
    </aside>
  );
};

const StepFacts = ({
  namespace,
  step,
  now,
}: {
  readonly namespace: string;
  readonly step: Step;
  readonly now: number;
}) => (
  <dl class="facts narrow">
    <Fact name="Status">
      <StatusBadge status={step.kind === 'SLEEP' && step.status === 'RUNNING' ? 'SLEEPING' : step.status} />
    </Fact>
    <Fact name="Kind">{KINDS[step.kind]}</Fact>
    <Fact name="Attempt">{attemptText(step)}</Fact>
    <Fact name={step.finished_at === null ? 'So far' : 'Took'}>{showLength(lengthOf(step, now))}</Fact>
    <Fact name="Started">{showTime(step.started_at)}</Fact>
    {step.wake_at !== null && <Fact name="Wakes">{showTime(step.wake_at)}</Fact>}
    {step.next_retry_at !== null && <Fact name="Next attempt">{showTime(step.next_retry_at)}</Fact>}
    {step.child_run_id !== null && (
      <Fact name="Child run">
        <a href={runHref(namespace, step.child_run_id)}>{step.child_type ?? step.child_run_id}</a>
      </Fact>
    )}
  </dl>
);

const KINDS: Readonly<Record<Step['kind'], string>> = {
  FUNCTION: 'Function',
  SLEEP: 'Sleep',
  CHILD_WORKFLOW: 'Child workflow',
};

const attemptText = ({ attempt, retry_policy: policy }: Step): string =>
  policy !== null && 'maximum_attempts' in policy
    ? `${attempt} of at most ${String(policy.maximum_attempts)}`
    : String(attempt);

const StepContents = ({ step }: { readonly step: Step }) => (
  <>
    {step.late && <p class="warning-text">Recorded after the run had ended: without effect.</p>}
    {step.error !== null && (
      <FailureBlock title={step.status === 'FAILED' ? 'Error' : 'Last error'} failure={step.error} />
    )}
    {step.failed_attempts.length > 0 && <Attempts step={step} />}
    {'input' in step && <JsonBlock label="Input" text={readableJson(step.input)} />}
    {'output' in step && <JsonBlock label="Output" text={readableJson(step.output)} />}
    <details>
      <summary>Raw JSON</summary>
      <JsonBlock label="Step" text={rawJson(step)} />
    </details>
  </>
);

const Attempts = ({ step }: { readonly step: Step }) => (
  <section>
    <h3>Failed attempts</h3>
    <ol class="attempt-list">
      {step.failed_attempts.map((attempt) => (
        <li key={attempt.attempt}>
          <span class="attempt-number">{attempt.attempt}</span>
          <span>
            <strong>{attempt.code}</strong> {visibleText(attempt.message)}
            <span class="sub">
              {showTime(attempt.started_at)}, after{' '}
              {showLength(Date.parse(attempt.finished_at) - Date.parse(attempt.started_at))}
            </span>
          </span>
        </li>
      ))}
    </ol>
  </section>
);
