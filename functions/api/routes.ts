import type { Call } from './call.ts';
import { backfillSchedule } from './calls/backfill-schedule.ts';
import { beginStep } from './calls/begin-step.ts';
import { cancelRun } from './calls/cancel-run.ts';
import { completeRun } from './calls/complete-run.ts';
import { completeStep } from './calls/complete-step.ts';
import { createSchedule } from './calls/create-schedule.ts';
import { deleteRun } from './calls/delete-run.ts';
import { deleteSchedule } from './calls/delete-schedule.ts';
import { deregisterWorker } from './calls/deregister-worker.ts';
import { drainEngine } from './calls/drain-engine.ts';
import { exportRun } from './calls/export-run.ts';
import { failRun } from './calls/fail-run.ts';
import { failStep } from './calls/fail-step.ts';
import { finishCancel } from './calls/finish-cancel.ts';
import { getHealth } from './calls/get-health.ts';
import { getInfo } from './calls/get-info.ts';
import { getMetrics } from './calls/get-metrics.ts';
import { getMetricsHistory } from './calls/get-metrics-history.ts';
import { getReadiness } from './calls/get-readiness.ts';
import { getRun } from './calls/get-run.ts';
import { getSchedule } from './calls/get-schedule.ts';
import { getStep } from './calls/get-step.ts';
import { getWorker } from './calls/get-worker.ts';
import { heartbeat } from './calls/heartbeat.ts';
import { listDeadLetters } from './calls/list-dead-letters.ts';
import { listFires } from './calls/list-fires.ts';
import { listNamespaces } from './calls/list-namespaces.ts';
import { listRuns } from './calls/list-runs.ts';
import { listSchedules } from './calls/list-schedules.ts';
import { listSteps } from './calls/list-steps.ts';
import { listTaskQueues } from './calls/list-task-queues.ts';
import { listWorkers } from './calls/list-workers.ts';
import { listWorkflowTypes } from './calls/list-workflow-types.ts';
import { observeStep } from './calls/observe-step.ts';
import { pauseSchedule } from './calls/pause-schedule.ts';
import { pollTask } from './calls/poll-task.ts';
import { previewSchedule } from './calls/preview-schedule.ts';
import { previewSpec } from './calls/preview-spec.ts';
import { readInbox } from './calls/read-inbox.ts';
import { redriveDeadLetter } from './calls/redrive-dead-letter.ts';
import { registerWorker } from './calls/register-worker.ts';
import { releaseRun } from './calls/release-run.ts';
import { resumeSchedule } from './calls/resume-schedule.ts';
import { sleepRun } from './calls/sleep-run.ts';
import { startRun } from './calls/start-run.ts';
import { suspendRun } from './calls/suspend-run.ts';
import { triggerSchedule } from './calls/trigger-schedule.ts';
import { updateSchedule } from './calls/update-schedule.ts';
import { describeApi } from './describe-api.ts';

const CALLS: readonly Call[] = [
  startRun,
  listRuns,
  getRun,
  deleteRun,
  cancelRun,
  exportRun,
  listSteps,
  getStep,
  createSchedule,
  listSchedules,
  getSchedule,
  updateSchedule,
  deleteSchedule,
  pauseSchedule,
  resumeSchedule,
  triggerSchedule,
  backfillSchedule,
  previewSchedule,
  previewSpec,
  listFires,
  registerWorker,
  listWorkers,
  getWorker,
  heartbeat,
  deregisterWorker,
  listTaskQueues,
  listWorkflowTypes,
  pollTask,
  beginStep,
  completeStep,
  failStep,
  observeStep,
  completeRun,
  failRun,
  finishCancel,
  sleepRun,
  suspendRun,
  releaseRun,
  readInbox,
  listDeadLetters,
  redriveDeadLetter,
  listNamespaces,
  getHealth,
  getReadiness,
  getInfo,
  getMetrics,
  getMetricsHistory,
  drainEngine,
];

/** The API at a glance: every route there is, the local server's and API Gateway's alike. */
export const ROUTES: readonly Call[] = [...CALLS, describeApi(CALLS)];

/** As API Gateway names a route. */
export const routeKey = (call: Pick<Call, 'method' | 'path'>): string => `${call.method} ${call.path}`;
