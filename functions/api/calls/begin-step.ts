import * as z from 'zod';
import { STEP_KINDS, type StepKind } from '../../../shared/model/step.ts';
import { policyFromWire } from '../../../shared/model/wire-policy.ts';
import { beginStep as begin } from '../../../shared/usecases/begin-step.ts';
import { defineCall } from '../call.ts';
import {
  futureMs,
  instant,
  lease,
  lengthMs,
  noQuery,
  parseLease,
  payload,
  place,
  placeOf,
  runParams,
  serverTime,
  shortText,
  stepId,
} from '../fields.ts';
import { retryPolicy } from '../retry-policy-field.ts';
import { jsonField, time, timeOrNull } from '../run-view.ts';
import { showStep, stepView } from '../step-view.ts';

const kind = z
  .enum([...STEP_KINDS, 'STEP'])
  .transform((given): StepKind => (given === 'STEP' ? 'FUNCTION' : given))
  .default('FUNCTION')
  .describe('STEP is another name for FUNCTION.');

export const beginStep = defineCall({
  method: 'POST',
  path: '/v1/{namespace}/runs/{run_id}/steps/begin',
  name: 'beginStep',
  summary: 'Begin a step, or learn what it is recorded with',
  access: 'user',
  params: runParams,
  query: noQuery,
  body: z
    .strictObject({
      lease,
      step_id: stepId,
      kind,
      input: payload.optional(),
      retry_policy: retryPolicy.optional(),
      parent_step_id: stepId.optional(),
      parallel_group_id: shortText.optional(),
      keep_lease: z.boolean().optional().describe('Wait for a retry in the worker instead of putting the run back.'),
      ...place,
      wake_at: instant
        .optional()
        .describe('Of a SLEEP: recorded as its time, unless one is; the worker keeps the run and waits itself.'),
      duration_ms: lengthMs.optional().describe('The same, counted from now by the clock of the engine.'),
      at_most_once: z
        .boolean()
        .optional()
        .describe('A start recorded under another lease is not taken over: then `step.status` is RUNNING.'),
    })
    .refine(({ wake_at, duration_ms, kind }) => (wake_at ?? duration_ms) === undefined || kind === 'SLEEP', {
      error: 'wake_at and duration_ms are for a SLEEP',
    })
    .refine(({ wake_at, duration_ms }) => wake_at === undefined || duration_ms === undefined, {
      error: 'wake_at and duration_ms exclude each other',
    }),
  answers: {
    200: z.strictObject({
      step_id: z.string(),
      should_execute: z.boolean(),
      idempotency_key: z.string(),
      cached_output: payload.optional(),
      input_changed: z.boolean().describe('Recorded with another input: what is recorded counts.'),
      next_retry_at: instant.nullable().describe('The step waits until then, and the run unless it was kept.'),
      step: stepView.nullable().describe('Null for a sleep not asked for yet.'),
      server_time: serverTime,
    }),
  },
  errors: ['RUN_NOT_FOUND', 'LEASE_LOST', 'STEP_KIND_CONFLICT', 'PAYLOAD_TOO_LARGE'],
  async handle({ engine }, { params, body }) {
    const begun = await begin(engine, parseLease(params, body.lease), {
      stepId: body.step_id,
      kind: body.kind,
      input: body.input === undefined ? undefined : JSON.stringify(body.input),
      retryPolicy: body.retry_policy && policyFromWire(body.retry_policy),
      parentStepId: body.parent_step_id ?? null,
      parallelGroup: body.parallel_group_id ?? null,
      keepLease: body.keep_lease,
      ...placeOf(body),
      wakeAt: wakeTime(engine.clock.now(), body),
      atMostOnce: body.at_most_once,
    });
    return {
      status: 200,
      body: {
        step_id: body.step_id,
        should_execute: begun.shouldExecute,
        idempotency_key: begun.idempotencyKey,
        ...jsonField('cached_output', begun.cachedOutput),
        input_changed: begun.inputChanged,
        next_retry_at: timeOrNull(begun.retryAt),
        step: begun.step === null ? null : showStep(begun.step, engine.clock.now()),
        server_time: time(engine.clock.now()),
      },
    };
  },
});

function wakeTime(
  now: number,
  given: { readonly wake_at?: string | undefined; readonly duration_ms?: number | undefined },
): number | undefined {
  if (given.wake_at !== undefined) return futureMs(given.wake_at, now);
  return given.duration_ms === undefined ? undefined : now + given.duration_ms;
}
