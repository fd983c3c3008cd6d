import * as z from 'zod';
import { RUN_STATUSES } from '../../../shared/model/run.ts';
import { policyFromWire } from '../../../shared/model/wire-policy.ts';
import { startChild } from '../../../shared/usecases/start-child.ts';
import { startRun as start } from '../../../shared/usecases/start-run.ts';
import { defineCall } from '../call.ts';
import {
  externalId,
  futureMs,
  instant,
  lease,
  lengthMs,
  namespaceParams,
  noQuery,
  parseLease,
  payload,
  place,
  placeOf,
  runId,
  shortText,
  stepId,
  taskQueue,
  version,
  workflowType,
} from '../fields.ts';
import { retryPolicy } from '../retry-policy-field.ts';

const body = z
  .strictObject({
    workflow_type: workflowType,
    task_queue: taskQueue.default('default'),
    external_id: externalId.optional().describe('The same id always means the same run, until its retention ends.'),
    request_id: shortText
      .optional()
      .describe('Chosen for this one start, so that it can be sent again without making a second run. It is not kept.'),
    version: version.optional(),
    input: payload.optional(),
    retry_policy: retryPolicy.optional(),
    start_at: instant.optional(),
    delay_ms: lengthMs.optional(),
    parent: z
      .strictObject({ run_id: runId, step_id: stepId, lease, ...place })
      .optional()
      .describe('Links the run to a step of a run that the caller holds; it is cancelled with it.'),
  })
  .refine((given) => given.start_at === undefined || given.delay_ms === undefined, {
    error: 'start_at and delay_ms exclude each other',
  });

const answer = z.strictObject({ run_id: z.string(), already_exists: z.boolean(), status: z.enum(RUN_STATUSES) });

export const startRun = defineCall({
  method: 'POST',
  path: '/v1/{namespace}/runs',
  name: 'startRun',
  summary: 'Start a run, or learn which one the external id already means',
  access: 'user',
  params: namespaceParams,
  query: noQuery,
  body,
  answers: { 201: answer, 200: answer },
  errors: [
    'PAYLOAD_TOO_LARGE',
    'TASK_QUEUE_NOT_FOUND',
    'EXTERNAL_ID_CONFLICT',
    'LEASE_LOST',
    'RUN_NOT_FOUND',
    'STEP_KIND_CONFLICT',
    'STEP_FINISHED',
  ],
  async handle({ engine }, { params: { namespace }, body: given }) {
    const request = {
      namespace,
      workflowType: given.workflow_type,
      taskQueue: given.task_queue,
      externalId: given.external_id,
      requestId: given.request_id,
      version: given.version,
      input: given.input === undefined ? undefined : JSON.stringify(given.input),
      retryPolicy: given.retry_policy && policyFromWire(given.retry_policy),
      startAt: startTime(engine.clock.now(), given),
    };
    const { parent } = given;
    const { run, alreadyExists } =
      parent === undefined
        ? await start(engine, request)
        : await startChild(
            engine,
            parseLease({ namespace, run_id: parent.run_id }, parent.lease),
            parent.step_id,
            request,
            placeOf(parent),
          );
    return {
      status: alreadyExists ? 200 : 201,
      body: { run_id: run.runId, already_exists: alreadyExists, status: run.status },
    };
  },
});

function startTime(now: number, given: z.output<typeof body>): number | undefined {
  if (given.start_at !== undefined) return futureMs(given.start_at, now);
  return given.delay_ms === undefined ? undefined : now + given.delay_ms;
}
