import * as z from 'zod';
import type { Engine } from '../../../shared/store/engine.ts';
import { listWorkers } from '../../../shared/usecases/list-workers.ts';
import { defineCall, type ServedType } from '../call.ts';
import { namespaceParams, noQuery, payload } from '../fields.ts';
import { jsonField } from '../run-view.ts';

const WORKERS_LOOKED_AT = 100;

export const workflowTypeView = z.strictObject({
  workflow_type: z.string(),
  task_queue: z.string(),
  versions: z.array(z.string()).nullable().describe('Null where only a worker over HTTP knows.'),
  example_input: payload.optional().describe('An input to try it with.'),
});

export const listWorkflowTypes = defineCall({
  method: 'GET',
  path: '/v1/{namespace}/workflow-types',
  name: 'listWorkflowTypes',
  summary: 'List the workflow types that somebody serves now',
  access: 'user',
  params: namespaceParams,
  query: noQuery,
  answers: {
    200: z.strictObject({
      workflow_types: z.array(workflowTypeView),
      complete: z.boolean().describe('False where Lambda functions serve types the engine does not hear of.'),
    }),
  },
  errors: [],
  async handle({ engine, service }, { params: { namespace } }) {
    const here = service.servedHere?.(namespace) ?? null;
    const found = new Map<string, ReturnType<typeof showType>>();
    for (const type of [...(await servedOverHttp(engine, namespace)), ...(here ?? [])]) {
      found.set(`${type.taskQueue}/${type.workflowType}`, showType(type));
    }
    const workflow_types = [...found.values()].sort((a, b) => (a.workflow_type < b.workflow_type ? -1 : 1));
    return { status: 200, body: { workflow_types, complete: here !== null } };
  },
});

type Known = Omit<ServedType, 'versions'> & { readonly versions: readonly string[] | null };

async function servedOverHttp(engine: Engine, namespace: string): Promise<readonly Known[]> {
  const { workers } = await listWorkers(engine, { namespace, status: 'ONLINE', pageSize: WORKERS_LOOKED_AT });
  return workers.flatMap(({ taskQueue, workflowTypes }) =>
    workflowTypes.map((workflowType) => ({ taskQueue, workflowType, versions: null, example: undefined })),
  );
}

const showType = ({ workflowType, taskQueue, versions, example }: Known) => ({
  workflow_type: workflowType,
  task_queue: taskQueue,
  versions: versions === null ? null : [...versions],
  ...jsonField('example_input', example),
});
