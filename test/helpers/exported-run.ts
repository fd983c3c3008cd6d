import type { ExportedRun } from '../../sdk/testing/index.ts';
import type { RunDetails } from '../../shared/usecases/get-run.ts';
import type { StepDetails } from '../../shared/usecases/list-steps.ts';

const iso = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());
const json = (text: string | undefined): unknown => (text === undefined ? undefined : JSON.parse(text));

/** A run as `kagzi export` writes it. */
export function exportedRun({ run, input, output }: RunDetails, steps: readonly StepDetails[]): ExportedRun {
  return {
    incarnation: run.incarnation,
    epoch: run.epoch,
    run: {
      namespace: run.namespace,
      run_id: run.runId,
      workflow_type: run.workflowType,
      version: run.version,
      task_queue: run.taskQueue,
      status: run.status,
      external_id: run.externalId,
      created_at: new Date(run.createdAt).toISOString(),
      started_at: iso(run.startedAt),
      input: json(input),
      output: json(output),
    },
    steps: steps.map(({ step, output: result }) => ({
      step_id: step.stepId,
      kind: step.kind,
      status: step.status === 'SLEEPING' ? 'COMPLETED' : step.status,
      attempt: step.attempt,
      traces: step.traces,
      finished_at: iso('finishedAt' in step ? step.finishedAt : null),
      wake_at: iso(step.status === 'SLEEPING' ? step.wakeAt : null),
      child_run_id: step.childRunId,
      child_type: step.childType,
      output: json(result),
      error:
        'error' in step
          ? { ...step.error, non_retryable: step.error.nonRetryable, details: json(step.error.details ?? undefined) }
          : null,
    })),
  };
}
