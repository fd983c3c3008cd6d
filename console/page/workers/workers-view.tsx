import { callApi, within } from '../api.ts';
import { useLive } from '../live.ts';
import { useNow } from '../now.ts';
import { LoadingNote, ProblemBar, ProblemNote } from '../parts/notes.tsx';
import { PageHeader } from '../parts/page-header.tsx';
import { typeNames, useServedTypes } from '../served-types.ts';
import type { DeadLetter, Paged, TaskQueue, Worker } from '../wire.ts';
import { DeadLetters } from './dead-letters.tsx';
import { QueueTable } from './queue-table.tsx';
import { WorkerTable } from './worker-table.tsx';

interface Loaded {
  readonly queues: readonly TaskQueue[];
  readonly workers: readonly Worker[];
  readonly letters: readonly DeadLetter[];
  /** There are more of something than one page holds. */
  readonly more: boolean;
}

const PAGE_SIZE = 100;
const PACE = { minMs: 2_000, maxMs: 15_000 };

async function load(namespace: string, signal: AbortSignal): Promise<Loaded> {
  const page = <T,>(path: string) =>
    callApi<T & Paged>(within(namespace, path), { query: { page_size: PAGE_SIZE }, signal });
  const [queues, workers, letters] = await Promise.all([
    page<{ readonly task_queues: readonly TaskQueue[] }>('/task-queues'),
    page<{ readonly workers: readonly Worker[] }>('/workers'),
    page<{ readonly dead_letters: readonly DeadLetter[] }>('/dead-letters'),
  ]);
  return {
    queues: queues.task_queues,
    workers: workers.workers,
    letters: letters.dead_letters,
    more: [queues, workers, letters].some(({ next_page_token }) => next_page_token !== null),
  };
}

export const WorkersView = ({ namespace }: { readonly namespace: string }) => {
  const now = useNow(1_000);
  const { types } = useServedTypes(namespace);
  const live = useLive<Loaded>(
    `workers ${namespace}`,
    (signal) => load(namespace, signal),
    () => PACE,
  );
  return (
    <>
      <PageHeader title="Workers and queues" live={live} />
      {live.data === null ? (
        live.problem === null ? (
          <LoadingNote what="workers and queues" />
        ) : (
          <ProblemNote problem={live.problem} retry={live.refresh} />
        )
      ) : (
        <>
          {live.problem !== null && <ProblemBar problem={live.problem} retry={live.refresh} />}
          {live.data.more && (
            <p class="warning-text">There are more than {PAGE_SIZE} of something; the first are shown.</p>
          )}
          <QueueTable queues={live.data.queues} served={typeNames(types)} />
          <WorkerTable namespace={namespace} workers={live.data.workers} queues={live.data.queues} now={now} />
          <DeadLetters namespace={namespace} letters={live.data.letters} now={now} onChange={live.refresh} />
        </>
      )}
    </>
  );
};
