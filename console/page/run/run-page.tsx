import { useMemo, useState } from 'preact/hooks';
import { useLive } from '../live.ts';
import { useNow } from '../now.ts';
import { Icon } from '../parts/icon.tsx';
import { JsonBlock } from '../parts/json-block.tsx';
import { LoadingNote, ProblemBar, ProblemNote } from '../parts/notes.tsx';
import { SearchKey } from '../parts/search-key.tsx';
import { rawJson, readableJson } from '../readable-json.ts';
import { type Query, replaceWith, runHref } from '../route.ts';
import { CancelDialog } from '../runs/cancel-runs.tsx';
import { plural, showCount } from '../show-number.ts';
import { hasEnded, type RunDetails, type Step } from '../wire.ts';
import { FailureBlock } from './failure-block.tsx';
import { type LoadedRun, loadRun, stepsOf } from './load-run.ts';
import { NoSteps } from './no-steps.tsx';
import { RunHeader } from './run-header.tsx';
import { StepPanel } from './step-panel.tsx';
import { Timeline } from './timeline.tsx';

const TABS = ['timeline', 'data', 'json'] as const;
type Tab = (typeof TABS)[number];
const TAB_NAMES: Readonly<Record<Tab, string>> = { timeline: 'Timeline', data: 'Input and output', json: 'JSON' };

/** What the engine records for itself is no step of the workflow's. */
const isOwn = ({ step_id }: Step): boolean => !step_id.startsWith('$');
const MANY_STEPS = 300;

interface RunPageProps {
  readonly namespace: string;
  readonly runId: string;
  readonly query: Query;
}

export const RunPage = ({ namespace, runId, query }: RunPageProps) => {
  const [cancelling, setCancelling] = useState(false);
  const live = useLive<LoadedRun>(
    `${namespace} ${runId}`,
    (signal, last, tell) => loadRun(namespace, runId, last, signal, tell),
    (loaded) => (hasEnded(loaded.run) ? null : paceOf(loaded)),
  );
  const isOpen = live.data !== null && !hasEnded(live.data.run);
  const now = useNow(isOpen ? 500 : 0);
  const show = (change: Query): void => replaceWith(runHref(namespace, runId, { ...query, ...change }));

  if (live.data === null) {
    return live.problem === null ? (
      <LoadingNote what="the run" />
    ) : (
      <ProblemNote problem={live.problem} retry={live.refresh} />
    );
  }
  const { run, cost } = live.data;
  const steps = stepsOf(live.data);
  const tab = TABS.find((name) => name === query['tab']) ?? 'timeline';
  return (
    <>
      <RunHeader
        run={run}
        cost={cost ?? null}
        steps={steps}
        now={now}
        live={live}
        onCancel={() => setCancelling(true)}
      />
      {live.problem !== null && <ProblemBar problem={live.problem} retry={live.refresh} />}
      {run.error !== null && <FailureBlock title="The run failed:" failure={run.error} />}
      <nav class="tabs" aria-label="Parts of the run">
        {TABS.map((name) => (
          <button
            key={name}
            type="button"
            aria-current={name === tab ? 'true' : undefined}
            onClick={() => show({ tab: name })}
          >
            {TAB_NAMES[name]}
            {name === 'timeline' && <span class="count">{showCount(steps.filter(isOwn).length)}</span>}
          </button>
        ))}
      </nav>
      {tab === 'timeline' && (
        <StepsTab
          namespace={namespace}
          loaded={live.data}
          now={now}
          selected={query['step'] ?? null}
          onSelect={(step) => show({ step })}
        />
      )}
      {tab === 'data' && (
        <div class="two-columns">
          <Payload label="Input" of={run} name="input" instead="(none was given)" />
          <Payload label="Output" of={run} name="output" instead={isOpen ? '(the run has not ended)' : '(none)'} />
        </div>
      )}
      {tab === 'json' && <RawTab loaded={live.data} />}
      {cancelling && (
        <CancelDialog
          namespace={namespace}
          runIds={[runId]}
          onClose={() => {
            setCancelling(false);
            live.refresh();
          }}
        />
      )}
    </>
  );
};

interface PayloadProps {
  readonly label: string;
  readonly of: RunDetails;
  readonly name: 'input' | 'output';
  readonly instead: string;
}

/** It may be large: written anew with every look, not with every tick of the clock. */
const Payload = ({ label, of, name, instead }: PayloadProps) => {
  const text = useMemo(() => (name in of ? readableJson(of[name]) : instead), [of, instead]);
  return <JsonBlock label={label} text={text} />;
};

const RawTab = ({ loaded }: { readonly loaded: LoadedRun }) => {
  const text = useMemo(() => rawJson({ run: loaded.run, cost: loaded.cost, steps: stepsOf(loaded) }), [loaded]);
  return (
    <>
      <JsonBlock label="Run and steps" text={text} />
      <p class="faint">Input and output of a step are with the step, in the timeline.</p>
    </>
  );
};

const paceOf = (loaded: LoadedRun) => ({
  minMs: stepsOf(loaded).length > MANY_STEPS ? 3_000 : 1_000,
  maxMs: loaded.run.status === 'SLEEPING' ? 20_000 : 10_000,
});

interface StepsTabProps {
  readonly namespace: string;
  readonly loaded: LoadedRun;
  readonly now: number;
  readonly selected: string | null;
  readonly onSelect: (stepId: string) => void;
}

const StepsTab = ({ namespace, loaded, now, selected, onSelect }: StepsTabProps) => {
  const [wanted, setWanted] = useState('');
  const [internal, setInternal] = useState(false);
  const { run } = loaded;
  const all = stepsOf(loaded);
  const hidden = all.filter((step) => !isOwn(step)).length;
  const steps = all.filter((step) => (internal || isOwn(step)) && step.step_id.includes(wanted));
  const step = all.find(({ step_id }) => step_id === selected);
  if (all.length === 0) return <NoSteps run={run} now={now} />;
  return (
    <>
      <div class="filters">
        <label class="search-field">
          <Icon name="search" />
          <span class="visually-hidden">Find a step</span>
          <input
            type="search"
            placeholder="Find a step"
            value={wanted}
            onInput={(event) => setWanted(event.currentTarget.value)}
          />
          <SearchKey />
        </label>
        <span class="faint">{plural(steps.length, 'step')}</span>
        {hidden > 0 && (
          <label class="tick-field">
            <input type="checkbox" checked={internal} onChange={() => setInternal(!internal)} />
            Show what the engine recorded for itself ({hidden})
          </label>
        )}
      </div>
      <div class={step === undefined ? 'run-body' : 'run-body with-step'}>
        <Timeline run={run} steps={steps} now={now} selected={selected} onSelect={onSelect} />
        {step !== undefined && (
          <StepPanel namespace={namespace} runId={run.run_id} step={step} now={now} onClose={() => onSelect('')} />
        )}
      </div>
    </>
  );
};
