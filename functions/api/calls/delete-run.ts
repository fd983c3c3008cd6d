import { deleteRun as remove } from '../../../shared/usecases/delete-run.ts';
import { defineCall } from '../call.ts';
import { noQuery, runParams } from '../fields.ts';

export const deleteRun = defineCall({
  method: 'DELETE',
  path: '/v1/{namespace}/runs/{run_id}',
  name: 'deleteRun',
  summary: 'Delete a finished run and everything kept of it',
  access: 'user',
  params: runParams,
  query: noQuery,
  answers: { 204: null },
  errors: ['RUN_NOT_FOUND', 'RUN_NOT_FINISHED'],
  async handle({ engine }, { params }) {
    await remove(engine, { namespace: params.namespace, runId: params.run_id });
    return { status: 204 };
  },
});
