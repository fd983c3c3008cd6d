import { isEnded, type RunId } from '../../shared/model/run.ts';
import { statusAt } from '../../shared/model/step.ts';
import type { Engine } from '../../shared/store/engine.ts';
import { exportRun, type RunExport } from '../../shared/usecases/export-run.ts';
import type { StepDetails } from '../../shared/usecases/list-steps.ts';
import type { ExportedRun, ExportedStep } from '../exported-run.ts';

/** The same as the HTTP API exports, as far as a replay needs it. */
export async function exportEmbedded(engine: Engine, id: RunId): Promise<ExportedRun> {
  const first = await exportRun(engine, id, undefined);
  const steps = [...first.steps];
  for (let token = first.nextPageToken; token !== null; ) {
    const part = await exportRun(engine, id, token);
    steps.push(...part.steps);
    token = part.nextPageToken;
  }
  const end = isEnded(first.run) ? first.run.finishedAt : engine.clock.now();
  const { incarnation, epoch } = first.run;
  return { incarnation, epoch, run: showRun(first), steps: steps.map((step) => showStep(step, end)) };
}

const time = (ms: number): string => new Date(ms).toISOString();
const json = <const Name extends string>(name: Name, text: string | undefined) =>
  text === undefined ? {} : { [name]: JSON.parse(text) as unknown };

const showRun = ({ run, input, output }: RunExport): ExportedRun['run'] => ({
  namespace: run.namespace,
  run_id: run.runId,
  workflow_type: run.workflowType,
  version: run.version,
  task_queue: run.taskQueue,
  status: run.status,
  external_id: run.externalId,
  schedule_id: run.scheduleId,
  fire_at: run.fireAt === null ? null : time(run.fireAt),
  parent: run.parent === null ? null : { run_id: run.parent.runId },
  attempts: run.attempts,
  created_at: time(run.createdAt),
  started_at: run.startedAt === null ? null : time(run.startedAt),
  ...json('input', input),
  ...json('output', output),
});

const showStep = ({ step, output }: StepDetails, now: number): ExportedStep => ({
  step_id: step.stepId,
  kind: step.kind,
  status: statusAt(step, now),
  attempt: step.attempt,
  traces: step.traces,
  started_at: time(step.startedAt),
  finished_at: 'finishedAt' in step ? time(step.finishedAt) : null,
  wake_at: step.status === 'SLEEPING' ? time(step.wakeAt) : null,
  child_run_id: step.childRunId,
  child_type: step.childType,
  ...json('output', output),
  error:
    'error' in step
      ? {
          code: step.error.code,
          message: step.error.message,
          non_retryable: step.error.nonRetryable,
          stack: step.error.stack,
          ...json('details', step.error.details ?? undefined),
        }
      : null,
});
