import { failure } from '../../shared/model/failure.ts';
import type { StepKind } from '../../shared/model/step.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { fromWireError, type WireError } from '../client/http-transport.ts';
import { date, textOf } from '../client/wire-values.ts';
import type { RunInfo } from '../context.ts';
import type { RecordedStep, StepState } from '../replay/journal.ts';

/** A task as poll answers it. */
export interface WireTask {
  readonly run_id: string;
  readonly incarnation: string;
  readonly lease: string;
  readonly epoch: number;
  readonly workflow_type: string;
  readonly version: string;
  readonly task_queue: string;
  readonly external_id: string | null;
  readonly schedule_id: string | null;
  /** Not of older engines. */
  readonly fire_at?: string | null;
  readonly parent_run_id: string | null;
  readonly attempts: number;
  readonly created_at: string;
  readonly started_at: string;
  readonly inbox: number;
  readonly input?: unknown;
  readonly history: WireStepPage;
}

export interface WireStepPage {
  readonly steps: readonly WireStep[];
  readonly next_page_token: string | null;
}

/** The fields of a step that a worker needs. Not every call answers its output. */
export interface WireStep {
  readonly step_id: string;
  readonly kind: StepKind;
  readonly status: 'PENDING' | 'RUNNING' | 'COMPLETED' | 'FAILED';
  readonly traces: readonly Trace[];
  readonly attempt: number;
  readonly started_at: string;
  readonly finished_at: string | null;
  readonly next_retry_at: string | null;
  readonly wake_at: string | null;
  readonly child_run_id: string | null;
  readonly child_type: string | null;
  readonly error: WireError | null;
  readonly output?: unknown;
}

const ms = (text: string | null): number => (text === null ? 0 : Date.parse(text));

export const runInfoOf = (namespace: string, task: WireTask): RunInfo => ({
  namespace,
  runId: task.run_id,
  workflowType: task.workflow_type,
  version: task.version,
  taskQueue: task.task_queue,
  externalId: task.external_id,
  scheduleId: task.schedule_id,
  fireAt: date(task.fire_at ?? null),
  parentRunId: task.parent_run_id,
  attempt: task.attempts,
  createdAt: new Date(task.created_at),
});

export const toRecorded = (step: WireStep, output = textOf(step.output)): RecordedStep => ({
  key: step.step_id,
  kind: step.kind,
  traces: step.traces,
  attempt: step.attempt,
  startedAt: ms(step.started_at),
  childRunId: step.child_run_id,
  childType: step.child_type,
  state: stateOf(step, output),
});

function stateOf(step: WireStep, output: string | undefined): StepState {
  // A sleep is shown as COMPLETED once its time has come, though only its time is recorded.
  if (step.wake_at !== null) return { status: 'SLEEPING', wakeAt: ms(step.wake_at) };
  switch (step.status) {
    case 'RUNNING':
      return { status: 'RUNNING' };
    case 'PENDING':
      return { status: 'PENDING', nextRetryAt: ms(step.next_retry_at) };
    case 'COMPLETED':
      return { status: 'COMPLETED', output, finishedAt: ms(step.finished_at) };
    case 'FAILED':
      return {
        status: 'FAILED',
        error: step.error === null ? failure({ message: 'unknown' }) : fromWireError(step.error),
        finishedAt: ms(step.finished_at),
      };
  }
}
