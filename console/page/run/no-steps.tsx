import { EmptyNote } from '../parts/notes.tsx';
import { hrefOf } from '../route.ts';
import { useServedTypes } from '../served-types.ts';
import { showAhead, showTime } from '../show-time.ts';
import type { RunSummary } from '../wire.ts';

/** Why nothing is in the timeline, and what to do about it. */
export const NoSteps = ({ run, now }: { readonly run: RunSummary; readonly now: number }) => {
  if (run.status !== 'PENDING') {
    return (
      <EmptyNote icon="list" title="No steps are recorded">
        <p>A step shows here when it has a result, or has run for more than a second.</p>
      </EmptyNote>
    );
  }
  if (run.available_at !== null && Date.parse(run.available_at) > now) {
    return (
      <EmptyNote icon="clock" title={`It starts ${showAhead(run.available_at, now)}`}>
        <p>At {showTime(run.available_at)}, as it was asked to.</p>
      </EmptyNote>
    );
  }
  return <Unclaimed run={run} />;
};

const Unclaimed = ({ run }: { readonly run: RunSummary }) => {
  const { namespace, workflow_type, task_queue } = run;
  const { types, complete } = useServedTypes(namespace);
  const workers = hrefOf({ namespace, view: 'workers' });
  const isServed = types.some((type) => type.workflow_type === workflow_type && type.task_queue === task_queue);
  if (!isServed && complete) {
    return (
      <EmptyNote icon="alert" title="Nobody serves it now">
        <p>
          No worker serves workflow type {workflow_type} on queue {task_queue}. The run waits until one does.{' '}
          <a href={workers}>See who is there</a>
        </p>
      </EmptyNote>
    );
  }
  return (
    <EmptyNote icon="clock" title="It waits for a worker">
      <p>
        No step has begun. If it stays so, see whether a worker serves this type on queue {task_queue}, and is not busy:{' '}
        <a href={workers}>workers and queues</a>
      </p>
    </EmptyNote>
  );
};
