import { KagziError } from '../model/errors.ts';
import { runIdFor } from '../model/ids.ts';
import type { RetryPolicy } from '../model/retry-policy.ts';
import type { Parent, Run } from '../model/run.ts';
import { dispatch } from '../store/dispatch.ts';
import type { Engine } from '../store/engine.ts';
import { checkPayload, type PayloadText, storePayload } from '../store/payloads.ts';
import { visible } from '../store/run-head.ts';
import { createRun } from '../store/runs.ts';
import { noteTaskQueue } from '../store/seen.ts';
import { stepTtl } from '../store/steps.ts';

export interface StartRun {
  readonly namespace: string;
  readonly workflowType: string;
  readonly taskQueue: string;
  readonly externalId?: string | undefined;
  readonly version?: string | undefined;
  readonly input?: PayloadText | undefined;
  readonly retryPolicy?: RetryPolicy | undefined;
  /** Delayed start. */
  readonly startAt?: number | undefined;
  readonly scheduleId?: string | undefined;
  readonly parent?: Parent | undefined;
}

export const DEFAULT_VERSION = '1';

/** Input and output share what the ids leave of the head's kilobyte. */
export const inlineBytes = (ids: readonly (string | null | undefined)[]): number => {
  const taken = ids.reduce((sum, id) => sum + Buffer.byteLength(id ?? '', 'utf8'), 0);
  return Math.max(0, Math.min(256, Math.floor((1024 - 480 - taken) / 2)));
};

/** One conditional put decides; whoever loses it is told which run was first. */
export async function startRun(
  engine: Engine,
  request: StartRun,
): Promise<{ readonly run: Run; readonly alreadyExists: boolean }> {
  const { namespace, workflowType, taskQueue } = request;
  checkPayload(engine, 'input', request.input);
  await requireTaskQueue(engine, taskQueue);
  await noteTaskQueue(engine, namespace, taskQueue);
  const now = engine.clock.now();
  const externalId = request.externalId ?? null;
  const runId = externalId === null ? engine.ids.uuid(now) : runIdFor(namespace, externalId);
  const incarnation = engine.ids.writeId();
  const availableAt = Math.max(now, request.startAt ?? now);
  const input = await storePayload(engine, { run: { namespace, runId }, incarnation, name: 'in' }, request.input, {
    inlineBytes: inlineBytes([namespace, workflowType, taskQueue, externalId, request.version]),
    ownItem: true,
    ttl: stepTtl(engine, availableAt),
  });
  const { created, run } = await createRun(engine, {
    namespace,
    runId,
    incarnation,
    workflowType,
    taskQueue,
    externalId,
    version: request.version ?? DEFAULT_VERSION,
    scheduleId: request.scheduleId ?? null,
    parent: request.parent ?? null,
    retryPolicy: request.retryPolicy ?? null,
    input: input.payload,
    createdAt: now,
    availableAt,
    spentWriteUnits: input.writeUnits,
  });
  if (!created && run.workflowType !== workflowType) {
    throw new KagziError(
      'EXTERNAL_ID_CONFLICT',
      `The external id "${externalId}" belongs to a run of workflow type "${run.workflowType}", not "${workflowType}".`,
      { runId, workflowType: run.workflowType },
    );
  }
  if (created) {
    engine.telemetry.count('runs_started', 1, { workflow_type: workflowType });
    await dispatch(engine, run, availableAt);
  }
  return { run: visible(run, now) ?? run, alreadyExists: !created };
}

export async function requireTaskQueue(engine: Engine, taskQueue: string): Promise<void> {
  const declared = await engine.queue.declared();
  if (declared !== null && !declared.includes(taskQueue)) {
    throw new KagziError(
      'TASK_QUEUE_NOT_FOUND',
      `There is no task queue "${taskQueue}"; declared are: ${declared.join(', ')}.`,
      {
        declared,
      },
    );
  }
}
