import * as z from 'zod';
import { RUN_STATUSES } from '../../../shared/model/run.ts';
import { heartbeat as beat } from '../../../shared/usecases/heartbeat.ts';
import { defineCall } from '../call.ts';
import {
  heldRun,
  heldRuns,
  MAX_HELD_RUNS,
  noQuery,
  parseLease,
  sequence,
  serverTime,
  workerParams,
} from '../fields.ts';
import { time } from '../run-view.ts';

const namedRun = heldRun.extend({
  inbox_read: sequence.optional().describe('The count that the inbox answered last, or the task.'),
});
const delta = z.int().min(0).max(1_000_000).default(0);

export const heartbeat = defineCall({
  method: 'POST',
  path: '/v1/{namespace}/workers/{worker_id}/heartbeat',
  name: 'heartbeat',
  summary: 'Keep a worker and the runs it holds alive',
  access: 'user',
  params: workerParams,
  query: noQuery,
  body: z
    .strictObject({
      runs: heldRuns(namedRun).describe(
        'Every run the worker holds: one left out goes to another worker when its lease ends.',
      ),
      active_count: z.int().min(0).max(MAX_HELD_RUNS).optional(),
      completed_delta: delta,
      failed_delta: delta,
    })
    .prefault({}),
  answers: {
    200: z.strictObject({
      accepted: z.boolean().describe('False: the worker is OFFLINE and must register again.'),
      should_drain: z.boolean(),
      lost_runs: z
        .array(z.strictObject({ run_id: z.string(), status: z.enum(RUN_STATUSES).nullable() }))
        .describe("Runs named here that are no longer this worker's: cancelled, taken over, ended or gone (null)."),
      arrived_runs: z.array(z.string()).describe('Runs with more in their inbox than `inbox_read` says.'),
      server_time: serverTime,
    }),
  },
  errors: ['WORKER_NOT_FOUND'],
  async handle({ engine }, { params: { namespace, worker_id }, body }) {
    const { accepted, shouldDrain, lost, arrived } = await beat(engine, {
      namespace,
      workerId: worker_id,
      leases: body.runs.map((run) => ({
        ...parseLease({ namespace, run_id: run.run_id }, run.lease),
        inboxRead: run.inbox_read,
      })),
      activeCount: body.active_count,
      completedDelta: body.completed_delta,
      failedDelta: body.failed_delta,
    });
    const lost_runs = lost.map(({ runId: run_id, status }) => ({ run_id, status }));
    const server_time = time(engine.clock.now());
    return {
      status: 200,
      body: { accepted, should_drain: shouldDrain, lost_runs, arrived_runs: arrived, server_time },
    };
  },
});
