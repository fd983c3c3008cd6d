import { isEnded, type Run } from '../../shared/model/run.ts';
import { statusAt } from '../../shared/model/step.ts';
import type { Engine } from '../../shared/store/engine.ts';
import { cancelRun } from '../../shared/usecases/cancel-run.ts';
import { getRun, type RunDetails } from '../../shared/usecases/get-run.ts';
import { listRuns } from '../../shared/usecases/list-runs.ts';
import { listSteps, type StepDetails } from '../../shared/usecases/list-steps.ts';
import { requestCancel } from '../../shared/usecases/request-cancel.ts';
import { type StartedRun, startRun } from '../../shared/usecases/start-run.ts';
import { embeddedSchedules } from './embedded-schedules.ts';
import { exportEmbedded } from './export-embedded.ts';
import { refusing } from './refusing.ts';
import type { RunRecord, StepRecord, Transport } from './transport.ts';

const RUNS_PER_PAGE = 100;
const STEPS_PER_PAGE = 100;

const date = (ms: number | null): Date | null => (ms === null ? null : new Date(ms));

/** The engine is in this process: no HTTP on the way. It refuses with the same errors as over HTTP. */
export function embeddedTransport(engine: Engine, namespace: string): Transport {
  return {
    schedules: embeddedSchedules(engine, namespace),
    start: ({ delayMs, ...request }) =>
      refusing(() => {
        const startAt = delayMs === undefined ? request.startAt : engine.clock.now() + delayMs;
        return startRun(engine, { namespace, ...request, startAt }).then(showStarted);
      }),
    get: (runId, waitMs) => refusing(() => getRun(engine, { namespace, runId }, { waitMs }).then(showDetails)),
    cancel: (runId, { reason, graceMs }) =>
      refusing(async () => {
        const id = { namespace, runId };
        return showRun(
          graceMs === null ? await cancelRun(engine, id, reason) : await requestCancel(engine, id, { reason, graceMs }),
        );
      }),
    list: (filter, pageToken) =>
      refusing(async () => {
        const { createdAfter, createdBefore, ...rest } = filter;
        const page = await listRuns(engine, {
          namespace,
          ...rest,
          createdFrom: createdAfter?.getTime(),
          createdBefore: createdBefore?.getTime(),
          pageSize: RUNS_PER_PAGE,
          pageToken,
        });
        return { items: page.runs.map((run) => showRun(run)), nextPageToken: page.nextPageToken };
      }),
    steps: (runId, pageToken) =>
      refusing(async () => {
        const page = await listSteps(engine, { namespace, runId, pageSize: STEPS_PER_PAGE, pageToken });
        const now = engine.clock.now();
        return { items: page.steps.map((step) => showStep(step, now)), nextPageToken: page.nextPageToken };
      }),
    export: (runId) => refusing(() => exportEmbedded(engine, { namespace, runId })),
  };
}

const showStarted = ({ run, alreadyExists }: StartedRun) => ({ runId: run.runId, alreadyExists });

const showDetails = ({ run, input, output, error }: RunDetails): RunRecord => ({
  ...showRun(run),
  input,
  output,
  error,
});

const showRun = (run: Run): RunRecord => ({
  runId: run.runId,
  externalId: run.externalId,
  workflowType: run.workflowType,
  version: run.version,
  taskQueue: run.taskQueue,
  scheduleId: run.scheduleId,
  fireAt: date(run.fireAt),
  status: run.status,
  attempts: run.attempts,
  createdAt: new Date(run.createdAt),
  startedAt: date(run.startedAt),
  finishedAt: date(isEnded(run) ? run.finishedAt : null),
  availableAt: date(run.status === 'PENDING' || run.status === 'SLEEPING' ? run.availableAt : null),
  error: run.status === 'FAILED' ? run.error : null,
  cancelReason: run.status === 'CANCELLED' ? run.reason : null,
});

const showStep = ({ step, output }: StepDetails, now: number): StepRecord => ({
  stepId: step.stepId,
  kind: step.kind,
  status: statusAt(step, now),
  attempt: step.attempt,
  createdAt: new Date(step.createdAt),
  startedAt: new Date(step.startedAt),
  finishedAt: date('finishedAt' in step ? step.finishedAt : null),
  nextRetryAt: date(step.status === 'PENDING' ? step.nextRetryAt : null),
  wakeAt: date(step.status === 'SLEEPING' ? step.wakeAt : null),
  childRunId: step.childRunId,
  error: 'error' in step ? step.error : null,
  output,
});
