import { KagziError } from '../model/errors.ts';
import type { Parent, Run } from '../model/run.ts';
import type { Step } from '../model/step.ts';
import type { Place } from '../model/trace.ts';
import type { Engine } from '../store/engine.ts';
import { readRun } from '../store/run-head.ts';
import { markChildren } from '../store/runs.ts';
import { beginStep } from './begin-step.ts';
import { cancelOpen } from './end-run.ts';
import { leaseLost, type RunLease, requireLease } from './lease.ts';
import { plannedRunId, requireStartable, type StartedRun, type StartRun, startRun } from './start-run.ts';

/**
 * A run linked to a step of the run that holds the lease, and cancelled with it. The parent's head and step name
 * the child before it exists: whatever dies in between, a cancel of the parent finds every child there is.
 */
export async function startChild(
  engine: Engine,
  lease: RunLease,
  stepId: string,
  request: Omit<StartRun, 'parent' | 'scheduleId'>,
  place: Place = {},
): Promise<StartedRun & { readonly step: Step }> {
  await requireStartable(engine, request);
  const parent = await requireLease(engine, lease);
  if (!parent.children) {
    const write = await markChildren(engine, parent);
    if (!write.ok) throw leaseLost(lease, write.current);
  }
  const link = { runId: lease.runId, incarnation: lease.incarnation, stepId };
  const child: StartRun = { ...request, parent: link };
  const childRunId = plannedRunId(child);
  const begun = await beginStep(engine, lease, {
    ...place,
    stepId,
    kind: 'CHILD_WORKFLOW',
    childRunId,
    childType: request.workflowType,
  });
  if (begun.step?.childRunId !== childRunId) {
    const message = `The step "${stepId}" is recorded with another child run.`;
    throw new KagziError('STEP_FINISHED', message, { child_run_id: begun.step?.childRunId ?? null });
  }
  const started = await startRun(engine, child);
  requireOwn(started.run, link, child);
  // A parent that ended, and was deleted, meanwhile could not cancel what did not exist yet.
  const after = await readRun(engine, lease);
  if (!started.alreadyExists && after?.incarnation !== lease.incarnation) {
    await cancelOpen(engine, started.run, 'the parent run ended');
    throw leaseLost(lease, after);
  }
  return { ...started, step: begun.step };
}

/** A run tells one parent of its end: whoever else waited for it would wait for ever. */
function requireOwn({ runId, workflowType, parent }: Run, link: Parent, { externalId }: StartRun): void {
  const isOwn =
    parent?.runId === link.runId && parent.incarnation === link.incarnation && parent.stepId === link.stepId;
  if (isOwn) return;
  const message = `The external id "${externalId}" belongs to a run that this step has not started: ${runId}.`;
  throw new KagziError('EXTERNAL_ID_CONFLICT', message, { run_id: runId, workflow_type: workflowType });
}
