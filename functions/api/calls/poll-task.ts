import { z } from 'zod';
import { encodeLease } from '../../../shared/usecases/lease.ts';
import { wholePage } from '../../../shared/usecases/list-steps.ts';
import { pollTask as poll } from '../../../shared/usecases/poll-task.ts';
import { defineCall } from '../call.ts';
import { instant, lease, namespace, noQuery, payload, runId, taskQueue, workflowType } from '../fields.ts';
import { jsonField, time } from '../run-view.ts';
import { showStepPage, stepPage } from '../step-view.ts';

const MAX_WAIT_SECS = 20;

const task = z.strictObject({
  run_id: z.string(),
  lease,
  lease_until: instant.describe('By then a heartbeat must have named the run.'),
  workflow_type: z.string(),
  version: z.string(),
  external_id: z.string().nullable(),
  attempts: z.int(),
  created_at: instant,
  input: payload.optional(),
  history: z.strictObject(stepPage).describe('What is recorded so far; further pages from the steps of the run.'),
});

export const pollTask = defineCall({
  method: 'POST',
  path: '/v1/{namespace}/task-queues/{task_queue}/poll',
  name: 'pollTask',
  summary: 'Wait for a run to work on',
  access: 'user',
  params: z.strictObject({ namespace, task_queue: taskQueue }),
  query: noQuery,
  body: z.strictObject({
    worker_id: runId,
    workflow_types: z.array(workflowType).min(1).max(100).optional().describe('Some of those it registered for.'),
    timeout_secs: z.number().min(0).max(MAX_WAIT_SECS).optional(),
  }),
  answers: { 200: z.strictObject({ task: task.nullable().describe('Null when the time is up.') }) },
  errors: ['WORKER_NOT_FOUND', 'WORKER_DRAINING', 'WORKER_OFFLINE', 'ENGINE_DRAINING'],
  async handle({ engine, signal }, { params, body }) {
    const found = await poll(engine, {
      namespace: params.namespace,
      taskQueue: params.task_queue,
      workerId: body.worker_id,
      workflowTypes: body.workflow_types,
      timeoutMs: body.timeout_secs === undefined ? undefined : body.timeout_secs * 1000,
      signal,
    });
    if (found === null) return { status: 200, body: { task: null } };
    const { run } = found;
    const history = await wholePage(engine, run, found.history);
    return {
      status: 200,
      body: {
        task: {
          run_id: run.runId,
          lease: encodeLease(found.lease),
          lease_until: time(run.lease.until),
          workflow_type: run.workflowType,
          version: run.version,
          external_id: run.externalId,
          attempts: run.attempts,
          created_at: time(run.createdAt),
          ...jsonField('input', found.input),
          history: showStepPage(history, engine.clock.now()),
        },
      },
    };
  },
});
