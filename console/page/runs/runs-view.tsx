import { useMemo, useState } from 'preact/hooks';
import { ApiProblem, problemOf } from '../api.ts';
import { useLive } from '../live.ts';
import { useNow } from '../now.ts';
import { Icon } from '../parts/icon.tsx';
import { EmptyNote, LoadingNote, ProblemBar, ProblemNote } from '../parts/notes.tsx';
import { PageHeader } from '../parts/page-header.tsx';
import { Pager } from '../parts/pager.tsx';
import { hrefOf, type Query, replaceWith } from '../route.ts';
import { typeNames, useServedTypes } from '../served-types.ts';
import { plural } from '../show-number.ts';
import { hasEnded, type WorkflowType } from '../wire.ts';
import { CancelDialog } from './cancel-runs.tsx';
import { FirstVisit } from './first-visit.tsx';
import { listRuns, type RunPage } from './list-runs.ts';
import { RunFilterBar } from './run-filters.tsx';
import { filtersIn, hasFilters, type RunFilters } from './run-query.ts';
import { RunTable } from './run-table.tsx';
import { StartDialog } from './start-dialog.tsx';

const PAGE_SIZE = 20;
const COUNTED_AT_MOST = 1_000;

interface Asked {
  readonly runIds: readonly string[];
  readonly capped: boolean;
}

export const RunsView = ({ namespace, query }: { readonly namespace: string; readonly query: Query }) => {
  const filters = filtersIn(query);
  const question = JSON.stringify([namespace, filters]);
  const [paging, setPaging] = useState<{ readonly question: string; readonly tokens: readonly string[] }>({
    question,
    tokens: [],
  });
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [starting, setStarting] = useState<WorkflowType | 'any' | null>(null);
  const [cancelling, setCancelling] = useState<Asked | null>(null);
  const [counting, setCounting] = useState<'no' | 'yes' | ApiProblem>('no');
  const now = useNow(1_000);
  const askedAt = useMemo(() => Date.now(), [question]);
  const tokens = paging.question === question ? paging.tokens : [];
  const live = useLive<RunPage>(`${question} ${tokens.at(-1) ?? ''}`, (signal) =>
    listRuns({ namespace, filters, askedAt, pageToken: tokens.at(-1), pageSize: PAGE_SIZE }, signal),
  );
  const { types: known } = useServedTypes(namespace);
  const runs = live.data?.runs ?? [];
  const ended = new Set(runs.filter(hasEnded).map(({ run_id }) => run_id));
  const selected = new Set([...chosen].filter((runId) => !ended.has(runId)));
  const change = (next: RunFilters): void => {
    setChosen(new Set());
    replaceWith(hrefOf({ namespace, view: 'runs', query: { ...next } }));
  };
  const chooseAllMatching = async (): Promise<void> => {
    setCounting('yes');
    try {
      setCancelling(await allOpen(namespace, filters));
      setCounting('no');
    } catch (error) {
      setCounting(problemOf(error));
    }
  };
  const closeCancel = (): void => {
    setCancelling(null);
    setChosen(new Set());
    live.refresh();
  };

  return (
    <>
      <PageHeader title="Runs" live={live}>
        <button type="button" class="button primary" onClick={() => setStarting('any')}>
          <Icon name="plus" />
          Start a run
        </button>
      </PageHeader>
      <RunFilterBar
        filters={filters}
        types={[...new Set([...typeNames(known), ...runs.map(({ workflow_type }) => workflow_type)])]}
        queues={[
          ...new Set([...known.map(({ task_queue }) => task_queue), ...runs.map(({ task_queue }) => task_queue)]),
        ]}
        onChange={change}
      />
      {selected.size > 0 && (
        <div class="selection" role="status">
          <span>{plural(selected.size, 'run')} selected</span>
          <button
            type="button"
            class="button small danger"
            onClick={() => setCancelling({ runIds: [...selected], capped: false })}
          >
            Cancel {plural(selected.size, 'run')}
          </button>
          <button
            type="button"
            class="button small"
            disabled={counting === 'yes'}
            onClick={() => void chooseAllMatching()}
          >
            {counting === 'yes' ? 'Counting…' : 'Cancel all open runs that match…'}
          </button>
          <button type="button" class="button small quiet" onClick={() => setChosen(new Set())}>
            Select none
          </button>
          {counting instanceof ApiProblem && <span class="error-text">{counting.message}</span>}
        </div>
      )}
      {live.problem !== null && live.data !== null && <ProblemBar problem={live.problem} retry={live.refresh} />}
      <RunList live={live} filters={filters} types={known} onStart={setStarting} onClear={() => change(filtersIn({}))}>
        <RunTable namespace={namespace} runs={runs} now={now} selected={selected} onSelect={setChosen} />
      </RunList>
      <Pager
        page={tokens.length + 1}
        hasNext={live.data?.next_page_token != null}
        onPrevious={() => setPaging({ question, tokens: tokens.slice(0, -1) })}
        onNext={() => setPaging({ question, tokens: [...tokens, live.data?.next_page_token ?? ''] })}
      />
      {starting !== null && (
        <StartDialog
          namespace={namespace}
          types={known}
          type={starting === 'any' ? (known[0] ?? null) : starting}
          onClose={() => setStarting(null)}
        />
      )}
      {cancelling !== null && <CancelDialog namespace={namespace} {...cancelling} onClose={closeCancel} />}
    </>
  );
};

interface RunListProps {
  readonly live: ReturnType<typeof useLive<RunPage>>;
  readonly filters: RunFilters;
  readonly types: readonly WorkflowType[];
  readonly onStart: (type: WorkflowType) => void;
  readonly onClear: () => void;
  readonly children: preact.ComponentChildren;
}

const RunList = ({ live, filters, types, onStart, onClear, children }: RunListProps) => {
  if (live.data === null) {
    return live.problem === null ? (
      <LoadingNote what="runs" />
    ) : (
      <ProblemNote problem={live.problem} retry={live.refresh} />
    );
  }
  if (live.data.runs.length > 0) return <>{children}</>;
  if (live.data.next_page_token !== null) {
    return (
      <EmptyNote icon="search" title="None among the newest runs">
        <p>Only so many runs are looked at for a page. Older ones may match: go on to the next page.</p>
      </EmptyNote>
    );
  }
  if (!hasFilters(filters)) return <FirstVisit types={types} onStart={onStart} />;
  return (
    <EmptyNote icon="search" title="No run matches">
      <p>External ids are compared as a whole, types and queues too.</p>
      <button type="button" class="button" onClick={onClear}>
        Show all runs
      </button>
    </EmptyNote>
  );
};

/** The newest of them, so many that a question can still name how many. */
async function allOpen(namespace: string, filters: RunFilters): Promise<Asked> {
  const wanted = { ...filters, status: filters.status === '' ? 'OPEN' : filters.status };
  const askedAt = Date.now();
  const runIds: string[] = [];
  let pageToken: string | undefined;
  do {
    const page: RunPage = await listRuns({ namespace, filters: wanted, askedAt, pageToken, pageSize: 100 });
    runIds.push(...page.runs.filter((run) => !hasEnded(run)).map(({ run_id }) => run_id));
    pageToken = page.next_page_token ?? undefined;
  } while (pageToken !== undefined && runIds.length < COUNTED_AT_MOST);
  return { runIds, capped: pageToken !== undefined };
}
