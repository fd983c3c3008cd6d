import * as z from 'zod';
import { encodeLease } from '../../../shared/usecases/lease.ts';
import { wholePage } from '../../../shared/usecases/list-steps.ts';
import { pollTask as poll } from '../../../shared/usecases/poll-task.ts';
import { byName } from '../by-name-field.ts';
import { defineCall } from '../call.ts';
import {
  instant,
  lease,
  namespace,
  noQuery,
  payload,
  runId,
  serverTime,
  taskQueue,
  version,
  workflowType,
} from '../fields.ts';
import { shownPolicy, shownPolicyOf } from '../retry-policy-field.ts';
import { jsonField, time, timeOrNull } from '../run-view.ts';
import { showStepPage, stepPage } from '../step-view.ts';

const MAX_WAIT_SECS = 20;

const task = z.strictObject({
  run_id: z.string(),
  incarnation: z.string().describe('Tells the run from an earlier one of the same id.'),
  lease,
  epoch: z.int().describe('Counts the claims of the run: this one.'),
  lease_until: instant.describe('By then a heartbeat must have named the run.'),
  workflow_type: z.string(),
  version: z.string(),
  task_queue: z.string(),
  external_id: z.string().nullable(),
  schedule_id: z.string().nullable(),
  fire_at: instant.nullable().describe('For what time its schedule has started it.'),
  parent_run_id: z.string().nullable(),
  retry_policy: shownPolicy,
  attempts: z.int(),
  created_at: instant,
  started_at: instant.describe('When the run was first claimed.'),
  inbox: z.int().describe('Arrivals from outside so far.'),
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
    workflow_versions: byName(workflowType, z.array(version).min(1).max(100), 100)
      .optional()
      .describe('The versions it has of a type; of a type that is not named, it gets any.'),
    timeout_secs: z.number().min(0).max(MAX_WAIT_SECS).optional(),
  }),
  answers: {
    200: z.strictObject({ task: task.nullable().describe('Null when the time is up.'), server_time: serverTime }),
  },
  errors: ['WORKER_NOT_FOUND', 'TASK_QUEUE_NOT_FOUND', 'WORKER_DRAINING', 'WORKER_OFFLINE', 'ENGINE_DRAINING'],
  async handle({ engine, signal }, { params, body }) {
    const found = await poll(engine, {
      namespace: params.namespace,
      taskQueue: params.task_queue,
      workerId: body.worker_id,
      workflowTypes: body.workflow_types,
      versions: body.workflow_versions && new Map(Object.entries(body.workflow_versions)),
      timeoutMs: body.timeout_secs === undefined ? undefined : body.timeout_secs * 1000,
      signal,
    });
    if (found === null) return { status: 200, body: { task: null, server_time: time(engine.clock.now()) } };
    const { run } = found;
    const history = await wholePage(engine, run, found.history, found.input);
    return {
      status: 200,
      body: {
        task: {
          run_id: run.runId,
          incarnation: run.incarnation,
          lease: encodeLease(found.lease),
          epoch: run.epoch,
          lease_until: time(run.lease.until),
          workflow_type: run.workflowType,
          version: run.version,
          task_queue: run.taskQueue,
          external_id: run.externalId,
          schedule_id: run.scheduleId,
          fire_at: timeOrNull(run.fireAt),
          parent_run_id: run.parent?.runId ?? null,
          retry_policy: shownPolicyOf(run.retryPolicy),
          attempts: run.attempts,
          created_at: time(run.createdAt),
          started_at: time(run.startedAt ?? run.createdAt),
          inbox: run.inbox,
          ...jsonField('input', found.input),
          history: showStepPage(history, engine.clock.now()),
        },
        server_time: time(engine.clock.now()),
      },
    };
  },
});
