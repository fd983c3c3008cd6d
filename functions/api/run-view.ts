import * as z from 'zod';
import type { Failure } from '../../shared/model/failure.ts';
import { isEnded, RUN_STATUSES, type Run } from '../../shared/model/run.ts';
import type { RunDetails } from '../../shared/usecases/get-run.ts';
import type { RunCost } from '../../shared/usecases/run-cost.ts';
import { errorToWire, shownError } from './error-field.ts';
import { instant, payload } from './fields.ts';
import { shownPolicy, shownPolicyOf } from './retry-policy-field.ts';

export const runSummary = z.strictObject({
  run_id: z.string(),
  namespace: z.string(),
  external_id: z.string().nullable(),
  workflow_type: z.string(),
  version: z.string(),
  task_queue: z.string(),
  status: z.enum(RUN_STATUSES),
  schedule_id: z.string().nullable(),
  fire_at: instant.nullable().describe('For which time its schedule started it.'),
  parent: z.strictObject({ run_id: z.string(), step_id: z.string() }).nullable(),
  retry_policy: shownPolicy,
  attempts: z.int().describe('Times the workflow function was started because of a failure, plus one.'),
  created_at: instant,
  started_at: instant.nullable(),
  available_at: instant.nullable().describe('When a waiting run may go on.'),
  finished_at: instant.nullable(),
  expires_at: instant.nullable().describe('When a finished run is removed.'),
  locked_by: z.string().nullable(),
  cancel_reason: z.string().nullable(),
  error: shownError.nullable(),
});

export const runCost = z.strictObject({
  write_units: z.number(),
  read_units: z.number(),
  queue_calls: z.number(),
  dollars: z.number().describe('At us-east-1 list prices, table and queue only.'),
});

export const runView = runSummary.extend({
  input: payload.optional(),
  output: payload.optional(),
  cost: runCost.optional(),
});

export const time = (ms: number): string => new Date(ms).toISOString();
export const timeOrNull = (ms: number | null): string | null => (ms === null ? null : time(ms));
export const jsonField = <const Name extends string>(name: Name, text: string | undefined) =>
  text === undefined ? {} : ({ [name]: JSON.parse(text) as unknown } as Record<Name, unknown>);

export function summarizeRun(run: Run, error: Failure | null = run.status === 'FAILED' ? run.error : null) {
  return {
    run_id: run.runId,
    namespace: run.namespace,
    external_id: run.externalId,
    workflow_type: run.workflowType,
    version: run.version,
    task_queue: run.taskQueue,
    status: run.status,
    schedule_id: run.scheduleId,
    fire_at: timeOrNull(run.fireAt),
    parent: run.parent === null ? null : { run_id: run.parent.runId, step_id: run.parent.stepId },
    retry_policy: shownPolicyOf(run.retryPolicy),
    attempts: run.attempts,
    created_at: time(run.createdAt),
    started_at: timeOrNull(run.startedAt),
    available_at: run.status === 'PENDING' || run.status === 'SLEEPING' ? time(run.availableAt) : null,
    finished_at: isEnded(run) ? time(run.finishedAt) : null,
    expires_at: isEnded(run) ? time(run.expiresAt) : null,
    locked_by: run.status === 'RUNNING' ? run.lease.owner : null,
    cancel_reason: run.status === 'CANCELLED' ? run.reason : null,
    error: error === null ? null : errorToWire(error),
  } satisfies z.output<typeof runSummary>;
}

export const showCost = (cost: RunCost) => ({
  write_units: cost.writeUnits,
  read_units: cost.readUnits,
  queue_calls: cost.queueCalls,
  dollars: cost.dollars,
});

export const showRun = ({ run, input, output, error }: RunDetails, cost: RunCost | null = null) => ({
  ...summarizeRun(run, error),
  ...jsonField('input', input),
  ...jsonField('output', output),
  ...(cost === null ? {} : { cost: showCost(cost) }),
});
