import type { ApiProblem } from '../api.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { Fact } from '../parts/fact.tsx';
import { Icon } from '../parts/icon.tsx';
import { LiveMark } from '../parts/page-header.tsx';
import { StatusBadge } from '../parts/status-badge.tsx';
import { hrefOf, runHref } from '../route.ts';
import { plural, showCount, showDollars } from '../show-number.ts';
import { showAhead, showLength, showTime } from '../show-time.ts';
import { visibleText } from '../visible-text.ts';
import { hasEnded, type RunDetails, type Step } from '../wire.ts';

interface RunHeaderProps {
  readonly run: RunDetails;
  readonly cost: RunDetails['cost'] | null;
  readonly steps: readonly Step[];
  readonly now: number;
  readonly live: { readonly problem: ApiProblem | null; readonly at: number | null };
  readonly onCancel: () => void;
}

export const RunHeader = ({ run, cost, steps, now, live, onCancel }: RunHeaderProps) => (
  <header class="run-header">
    <a class="back" href={hrefOf({ namespace: run.namespace, view: 'runs' })}>
      <Icon name="left" size={14} />
      Runs
    </a>
    <div class="run-title">
      <h1>{run.workflow_type}</h1>
      <StatusBadge status={run.status} />
      {!hasEnded(run) && <LiveMark {...live} />}
      <div class="page-actions">
        {!hasEnded(run) && (
          <button type="button" class="button danger" onClick={onCancel}>
            Cancel the run
          </button>
        )}
      </div>
    </div>
    <p class="run-id">
      <span class="mono">{run.run_id}</span>
      <CopyButton text={run.run_id} label="the run id" />
      {run.external_id !== null && (
        <>
          <span class="faint">external id</span>
          <span class="mono">{visibleText(run.external_id)}</span>
        </>
      )}
    </p>
    <RunFacts run={run} cost={cost} steps={steps} now={now} />
  </header>
);

const RunFacts = ({ run, cost, steps, now }: Pick<RunHeaderProps, 'run' | 'cost' | 'steps' | 'now'>) => (
  <dl class="facts">
    <Fact name="Started" title={showTime(run.started_at ?? run.created_at)}>
      {run.started_at === null ? 'not yet' : showTime(run.started_at)}
    </Fact>
    <Fact name={hasEnded(run) ? 'Took' : 'Runs for'}>{tookText(run, now)}</Fact>
    {run.available_at !== null && Date.parse(run.available_at) > now && (
      <Fact name={aheadName(run)}>
        {showAhead(run.available_at, now)} · {showTime(run.available_at)}
      </Fact>
    )}
    <Fact name="Version">{run.version}</Fact>
    <Fact name="Attempts">{attemptsText(run)}</Fact>
    <Fact name="Queue">{run.task_queue}</Fact>
    <Fact
      name={hasEnded(run) ? 'Cost' : 'Cost so far'}
      title={
        cost
          ? `${showCount(cost.read_units)} read units, ${plural(cost.queue_calls, 'queue call')}; us-east-1 list prices of table and queue`
          : ''
      }
    >
      {cost ? `${showDollars(cost.dollars)} · ${plural(cost.write_units, 'write unit')}` : '…'}
    </Fact>
    {run.schedule_id !== null && (
      <Fact name="Schedule">
        <a href={hrefOf({ namespace: run.namespace, view: 'schedules', id: run.schedule_id })}>{run.schedule_id}</a>
        {run.fire_at !== null && <span class="faint"> for {showTime(run.fire_at)}</span>}
      </Fact>
    )}
    {run.parent !== null && (
      <Fact name="Parent">
        <a href={runHref(run.namespace, run.parent.run_id, { step: run.parent.step_id })}>
          step {visibleText(run.parent.step_id)}
        </a>
      </Fact>
    )}
    <Children namespace={run.namespace} steps={steps} />
    {run.locked_by !== null && <Fact name="Held by">{run.locked_by}</Fact>}
    {run.cancel_reason !== null && <Fact name="Cancelled because">{visibleText(run.cancel_reason)}</Fact>}
    {run.expires_at !== null && <Fact name="Kept until">{showTime(run.expires_at)}</Fact>}
  </dl>
);

const CHILDREN_SHOWN = 5;

const Children = ({ namespace, steps }: { readonly namespace: string; readonly steps: readonly Step[] }) => {
  const children = steps.filter(({ child_run_id }) => child_run_id !== null);
  if (children.length === 0) return null;
  return (
    <Fact name="Children">
      {children.slice(0, CHILDREN_SHOWN).map(({ child_run_id, child_type, step_id }) => (
        <a key={step_id} class="child-link" href={runHref(namespace, child_run_id ?? '')}>
          {child_type ?? step_id}
        </a>
      ))}
      {children.length > CHILDREN_SHOWN && (
        <span class="faint"> and {children.length - CHILDREN_SHOWN} more in the timeline</span>
      )}
    </Fact>
  );
};

const aheadName = ({ status, started_at }: RunDetails): string =>
  started_at === null ? 'Starts' : status === 'SLEEPING' ? 'Wakes' : 'Goes on';

const tookText = ({ started_at, finished_at }: RunDetails, now: number): string =>
  started_at === null
    ? '–'
    : showLength((finished_at === null ? now : Date.parse(finished_at)) - Date.parse(started_at));

const attemptsText = ({ attempts, retry_policy: policy }: RunDetails): string =>
  'maximum_attempts' in policy ? `${attempts} of at most ${policy.maximum_attempts}` : String(attempts);
