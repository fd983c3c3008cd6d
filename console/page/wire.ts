import type * as z from 'zod';
import type { getMetricsHistoryAnswer } from '../../functions/api/calls/get-metrics-history.ts';
import type { taskQueueView } from '../../functions/api/calls/list-task-queues.ts';
import type { workflowTypeView } from '../../functions/api/calls/list-workflow-types.ts';
import type { deadLetterView } from '../../functions/api/dead-letter-view.ts';
import type { runSummary, runView } from '../../functions/api/run-view.ts';
import type { fireView, scheduleWithInput } from '../../functions/api/schedule-view.ts';
import type { stepDetails } from '../../functions/api/step-view.ts';
import type { workerView } from '../../functions/api/worker-view.ts';

/** The answers of the API, as its schemas say they are. */
export type RunSummary = z.output<typeof runSummary>;
export type RunDetails = z.output<typeof runView>;
export type RunStatus = RunSummary['status'];
export type Step = z.output<typeof stepDetails>;
export type Failure = NonNullable<RunSummary['error']>;
export type Schedule = z.output<typeof scheduleWithInput>;
export type Fire = z.output<typeof fireView>;
export type Worker = z.output<typeof workerView>;
export type TaskQueue = z.output<typeof taskQueueView>;
export type WorkflowType = z.output<typeof workflowTypeView>;
export type DeadLetter = z.output<typeof deadLetterView>;
export type MetricsHistory = z.output<typeof getMetricsHistoryAnswer>;

export interface Paged {
  readonly next_page_token: string | null;
}

export const hasEnded = ({ status }: { readonly status: RunStatus }): boolean =>
  status === 'COMPLETED' || status === 'FAILED' || status === 'CANCELLED';
