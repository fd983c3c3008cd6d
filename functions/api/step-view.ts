import * as z from 'zod';
import { STEP_KINDS, STEP_STATUSES, type Step, statusAt } from '../../shared/model/step.ts';
import type { StepDetails } from '../../shared/usecases/list-steps.ts';
import { errorToWire, shownError } from './error-field.ts';
import { instant, payload } from './fields.ts';
import { shownPolicy, shownPolicyOf } from './retry-policy-field.ts';
import { jsonField, time, timeOrNull } from './run-view.ts';

export const stepView = z.strictObject({
  step_id: z.string(),
  kind: z.enum(STEP_KINDS),
  status: z.enum(STEP_STATUSES),
  attempt: z.int().describe('The attempt that runs, runs next, or was the last.'),
  epoch: z.int().describe('Counts the claims of the run: by which of them the step was recorded.'),
  position: z
    .int()
    .nullable()
    .describe('How many things the workflow had asked for before, as its latest owner said; null if none did.'),
  order: z
    .int()
    .nullable()
    .describe('The how-manieth outcome of which the workflow was told, as its latest owner said.'),
  traces: z
    .array(
      z.strictObject({
        epoch: z.int(),
        position: z.int().nullable(),
        seen: z.int().nullable(),
        slept: z.int(),
        base: z.strictObject({ order: z.int(), epoch: z.int() }),
        order: z.int().nullable(),
      }),
    )
    .describe('Where the step stood in the execution of each owner that said so: for workers that replay.'),
  created_at: instant,
  started_at: instant,
  finished_at: instant.nullable(),
  next_retry_at: instant.nullable(),
  wake_at: instant.nullable().describe('When a sleep ends.'),
  retry_policy: shownPolicy.nullable().describe("The step's own; null if the run's counts."),
  parent_step_id: z.string().nullable(),
  parallel_group_id: z.string().nullable(),
  child_run_id: z.string().nullable(),
  child_type: z.string().nullable().describe('The workflow type of the child.'),
  error: shownError.nullable(),
  failed_attempts: z.array(
    z.strictObject({
      attempt: z.int(),
      started_at: instant,
      finished_at: instant,
      code: z.string(),
      message: z.string(),
    }),
  ),
});

export const stepDetails = stepView.extend({
  input: payload.optional(),
  output: payload.optional(),
  idempotency_key: z.string().describe('The same over all attempts of the step.'),
  late: z.boolean().describe('Recorded after the run had ended: without effect.'),
});

export const stepPage = { steps: z.array(stepDetails), next_page_token: z.string().nullable() };

function finishedAt(step: Step, now: number): number | null {
  if (step.status === 'SLEEPING') return step.wakeAt <= now ? step.wakeAt : null;
  return 'finishedAt' in step ? step.finishedAt : null;
}

export const showStep = (step: Step, now: number) =>
  ({
    step_id: step.stepId,
    kind: step.kind,
    status: statusAt(step, now),
    attempt: step.attempt,
    epoch: step.epoch,
    position: step.traces.at(-1)?.position ?? null,
    order: step.traces.at(-1)?.order ?? null,
    traces: step.traces.map((trace) => ({ ...trace, base: { ...trace.base } })),
    created_at: time(step.createdAt),
    started_at: time(step.startedAt),
    finished_at: timeOrNull(finishedAt(step, now)),
    next_retry_at: step.status === 'PENDING' ? time(step.nextRetryAt) : null,
    wake_at: step.status === 'SLEEPING' ? time(step.wakeAt) : null,
    retry_policy: step.retryPolicy === null ? null : shownPolicyOf(step.retryPolicy),
    parent_step_id: step.parentStepId,
    parallel_group_id: step.parallelGroup,
    child_run_id: step.childRunId,
    child_type: step.childType,
    error: 'error' in step ? errorToWire(step.error) : null,
    failed_attempts: step.failedAttempts.map((attempt) => ({
      attempt: attempt.attempt,
      started_at: time(attempt.startedAt),
      finished_at: time(attempt.finishedAt),
      code: attempt.code,
      message: attempt.message,
    })),
  }) satisfies z.output<typeof stepView>;

export const showStepDetails = ({ step, input, output, idempotencyKey, late }: StepDetails, now: number) => ({
  ...showStep(step, now),
  ...jsonField('input', input),
  ...jsonField('output', output),
  idempotency_key: idempotencyKey,
  late,
});

export const showStepPage = (
  page: { readonly steps: readonly StepDetails[]; readonly nextPageToken: string | null },
  now: number,
) => ({
  steps: page.steps.map((step) => showStepDetails(step, now)),
  next_page_token: page.nextPageToken,
});
