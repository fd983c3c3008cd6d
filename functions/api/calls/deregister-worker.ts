import * as z from 'zod';
import { deregisterWorker as deregister } from '../../../shared/usecases/deregister-worker.ts';
import { defineCall } from '../call.ts';
import { heldRun, heldRuns, noQuery, parseLease, workerParams } from '../fields.ts';
import { showWorker, workerView } from '../worker-view.ts';

export const deregisterWorker = defineCall({
  method: 'POST',
  path: '/v1/{namespace}/workers/{worker_id}/deregister',
  name: 'deregisterWorker',
  summary: 'Drain a worker, or end it at once and give its runs to others',
  access: 'user',
  params: workerParams,
  query: noQuery,
  body: z
    .strictObject({
      drain: z.boolean().default(false).describe('It gets no new runs; a second call makes it OFFLINE.'),
      runs: heldRuns(heldRun).describe(
        'Runs it gives up; one polled since its last heartbeat and not named here comes back when its lease ends.',
      ),
    })
    .prefault({}),
  answers: { 200: workerView },
  errors: ['WORKER_NOT_FOUND'],
  async handle({ engine }, { params, body }) {
    const { namespace, worker_id } = params;
    const leases = body.runs.map((run) => parseLease({ namespace, run_id: run.run_id }, run.lease));
    const worker = await deregister(engine, { namespace, workerId: worker_id, drain: body.drain, leases });
    return { status: 200, body: showWorker(engine, worker) };
  },
});
