import { MAX_DURATION_MS } from '../model/duration.ts';
import { KagziError } from '../model/errors.ts';
import { childRunId, requestedRunId, runIdFor } from '../model/ids.ts';
import { externalIdProblem, nameProblem } from '../model/names.ts';
import type { RetryPolicy } from '../model/retry-policy.ts';
import type { Parent, Run } from '../model/run.ts';
import { dispatch } from '../store/dispatch.ts';
import type { Engine } from '../store/engine.ts';
import { headRoom } from '../store/head-room.ts';
import { checkPayload, mayBeBlob, type PayloadText, storePayload } from '../store/payloads.ts';
import { readRun } from '../store/run-head.ts';
import { createRun, type NewRun } from '../store/runs.ts';
import { noteTaskQueue } from '../store/seen.ts';
import { stepTtl } from '../store/steps.ts';

export interface StartRun {
  readonly namespace: string;
  readonly workflowType: string;
  readonly taskQueue: string;
  readonly externalId?: string | undefined;
  /** Chosen by the caller for this one start: sent again with it, it finds the run that it made. */
  readonly requestId?: string | undefined;
  readonly version?: string | undefined;
  readonly input?: PayloadText | undefined;
  readonly retryPolicy?: RetryPolicy | undefined;
  /** Delayed start. */
  readonly startAt?: number | undefined;
  /** By whom and for when, if a schedule starts it. */
  readonly fired?: NewRun['fired'] | undefined;
  readonly parent?: Parent | undefined;
}

export interface StartedRun {
  readonly run: Run;
  readonly alreadyExists: boolean;
}

const DEFAULT_VERSION = '1';

/** One conditional put decides; whoever loses it is told which run was first. */
export async function startRun(engine: Engine, request: StartRun): Promise<StartedRun> {
  const { namespace, workflowType, taskQueue } = request;
  await requireStartable(engine, request);
  const noting = noteTaskQueue(engine, namespace, taskQueue);
  if (noting !== null) await noting;
  const now = engine.clock.now();
  const facts = {
    namespace,
    runId: plannedRunId(request) ?? engine.ids.uuid(now),
    incarnation: engine.ids.writeId(),
    workflowType,
    taskQueue,
    externalId: request.externalId ?? null,
    version: request.version ?? DEFAULT_VERSION,
    fired: request.fired ?? null,
    parent: request.parent ?? null,
    retryPolicy: request.retryPolicy ?? null,
    createdAt: now,
    availableAt: Math.max(now, request.startAt ?? now),
  };
  // What is not small is stored only if it looks as if there were no such run: otherwise it would lie about.
  const mayExist = request.externalId !== undefined || request.requestId !== undefined;
  const known = mayExist && mayBeBlob(request.input) ? await readRun(engine, facts) : null;
  if (known !== null) {
    requireSameType(known, request);
    return { run: known, alreadyExists: true };
  }
  const place = { run: facts, incarnation: facts.incarnation, name: () => 'in' };
  const room = {
    inlineBytes: headRoom({ ...facts, scheduleId: facts.fired?.scheduleId ?? null }),
    ownItem: true,
    ttl: stepTtl(engine, facts.availableAt),
  };
  const storing = storePayload(engine, place, request.input, room);
  const input = storing instanceof Promise ? await storing : storing;
  const creating = createRun(engine, { ...facts, input: input.payload, spentWriteUnits: input.writeUnits });
  const isNew = !mayExist && request.parent === undefined;
  const sends = () => dispatch(engine, { ...facts, resends: 0 }, facts.availableAt);
  // Where the two are written together, nothing is sent for a run that was there before.
  const sent = isNew && engine.queue.followsTable === true ? sends() : null;
  const { created, run } = await creating;
  if (!created) requireSameType(run, request);
  if (created) {
    engine.telemetry.count('runs_started', 1, { workflow_type: workflowType });
    await (sent ?? sends());
  }
  return { run, alreadyExists: !created };
}

/** Known beforehand where the same start must always make the same run. */
export function plannedRunId({ namespace, externalId, parent, requestId }: StartRun): string | null {
  if (externalId !== undefined) return runIdFor(namespace, externalId);
  if (parent !== undefined) return childRunId(namespace, parent);
  return requestId === undefined ? null : requestedRunId(namespace, requestId);
}

function requireSameType(run: Run, { workflowType, externalId, parent }: StartRun): void {
  if (run.workflowType === workflowType) return;
  const under =
    externalId === undefined ? (parent === undefined ? 'request id' : 'step') : `external id "${externalId}"`;
  throw new KagziError(
    'EXTERNAL_ID_CONFLICT',
    `The ${under} belongs to a run of workflow type "${run.workflowType}", not "${workflowType}".`,
    { run_id: run.runId, workflow_type: run.workflowType },
  );
}

/** Whoever starts it, over HTTP, in this process or from a workflow. */
export function requireStartable(engine: Engine, request: StartRun): Promise<void> {
  const { namespace, workflowType, taskQueue, version, externalId, startAt } = request;
  const now = engine.clock.now();
  const problem =
    nameProblem('namespace', namespace) ??
    nameProblem('workflowType', workflowType) ??
    nameProblem('taskQueue', taskQueue) ??
    (version === undefined ? null : nameProblem('version', version)) ??
    (externalId === undefined ? null : externalIdProblem(externalId)) ??
    (startAt === undefined || startAt <= now + MAX_DURATION_MS ? null : 'the time to start at is not within 100 years');
  if (problem !== null) throw new KagziError('INVALID_ARGUMENT', `The run cannot be started: ${problem}.`);
  checkPayload(engine, 'input', request.input);
  return requireTaskQueue(engine, taskQueue);
}

export async function requireTaskQueue(engine: Engine, taskQueue: string): Promise<void> {
  const declared = await engine.queue.declared();
  if (declared === null || declared.includes(taskQueue)) return;
  const message = `There is no task queue "${taskQueue}"; declared are: ${declared.join(', ')}.`;
  throw new KagziError('TASK_QUEUE_NOT_FOUND', message, { declared });
}
