import { getWorker as get } from '../../../shared/usecases/get-worker.ts';
import { defineCall } from '../call.ts';
import { noQuery, workerParams } from '../fields.ts';
import { showWorker, workerView } from '../worker-view.ts';

export const getWorker = defineCall({
  method: 'GET',
  path: '/v1/{namespace}/workers/{worker_id}',
  name: 'getWorker',
  summary: 'Get a worker with its health',
  access: 'user',
  params: workerParams,
  query: noQuery,
  answers: { 200: workerView },
  errors: ['WORKER_NOT_FOUND'],
  async handle({ engine }, { params }) {
    return { status: 200, body: showWorker(engine, await get(engine, params.namespace, params.worker_id)) };
  },
});
