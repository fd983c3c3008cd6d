import { randomUUID } from 'node:crypto';
import { type Failure, failure } from '../../shared/model/failure.ts';
import { storableInstant } from '../../shared/model/instant.ts';
import { policyToWire } from '../../shared/model/wire-policy.ts';
import type { ExportedRun } from '../exported-run.ts';
import type { HttpApi } from './http-api.ts';
import { httpSchedules } from './http-schedules.ts';
import type { RunRecord, StepRecord, Transport } from './transport.ts';
import { date, jsonOf, textOf } from './wire-values.ts';

/** The fields of the API that a client uses. */
interface WireRun {
  readonly run_id: string;
  readonly external_id: string | null;
  readonly workflow_type: string;
  readonly version: string;
  readonly task_queue: string;
  readonly schedule_id: string | null;
  readonly fire_at: string | null;
  readonly status: RunRecord['status'];
  readonly attempts: number;
  readonly created_at: string;
  readonly started_at: string | null;
  readonly finished_at: string | null;
  readonly available_at: string | null;
  readonly cancel_reason: string | null;
  readonly error: WireError | null;
  readonly input?: unknown;
  readonly output?: unknown;
}

export interface WireError {
  readonly code: string;
  readonly message: string;
  readonly non_retryable: boolean;
  readonly stack: string | null;
  readonly details?: unknown;
}

interface WireStep {
  readonly step_id: string;
  readonly kind: StepRecord['kind'];
  readonly status: StepRecord['status'];
  readonly attempt: number;
  readonly created_at: string;
  readonly started_at: string;
  readonly finished_at: string | null;
  readonly next_retry_at: string | null;
  readonly wake_at: string | null;
  readonly child_run_id: string | null;
  readonly error: WireError | null;
  readonly output?: unknown;
}

interface ExportPage extends ExportedRun {
  readonly next_page_token: string | null;
}

export const fromWireError = (error: WireError): Failure =>
  failure({
    code: error.code,
    message: error.message,
    nonRetryable: error.non_retryable,
    stack: error.stack,
    details: textOf(error.details) ?? null,
  });

export function httpTransport(api: HttpApi): Transport {
  const run = (runId: string): string => `/runs/${encodeURIComponent(runId)}`;
  return {
    schedules: httpSchedules(api),
    async start(request) {
      const answer = await api.call<{ run_id: string; already_exists: boolean }>({
        path: '/runs',
        body: {
          workflow_type: request.workflowType,
          task_queue: request.taskQueue,
          version: request.version,
          external_id: request.externalId,
          // So that a start whose answer was lost can be sent again.
          request_id: randomUUID(),
          input: jsonOf(request.input),
          retry_policy: request.retryPolicy && policyToWire(request.retryPolicy),
          start_at:
            request.startAt === undefined ? undefined : new Date(storableInstant(request.startAt)).toISOString(),
          delay_ms: request.delayMs,
        },
      });
      return { runId: answer.run_id, alreadyExists: answer.already_exists };
    },
    async get(runId, waitMs, limitMs) {
      const wait = waitMs > 0 ? (waitMs / 1000).toFixed(3) : undefined;
      return showRun(
        await api.call<WireRun>({
          path: run(runId),
          query: { wait },
          waitMs,
          ...(limitMs === undefined ? {} : { limitMs }),
        }),
      );
    },
    async cancel(runId, { reason, graceMs }) {
      const body = { reason: reason ?? undefined, grace_ms: graceMs ?? undefined };
      return showRun(await api.call<WireRun>({ path: `${run(runId)}/cancel`, body }));
    },
    async list(filter, pageToken) {
      const page = await api.call<{ runs: WireRun[]; next_page_token: string | null }>({
        path: '/runs',
        query: {
          class: filter.class,
          status: filter.status,
          workflow_type: filter.workflowType,
          version: filter.version,
          task_queue: filter.taskQueue,
          external_id: filter.externalId,
          schedule_id: filter.scheduleId,
          created_after: filter.createdAfter?.toISOString(),
          created_before: filter.createdBefore?.toISOString(),
          page_size: 100,
          page_token: pageToken,
        },
      });
      return { items: page.runs.map(showRun), nextPageToken: page.next_page_token };
    },
    async steps(runId, pageToken) {
      const page = await api.call<{ steps: WireStep[]; next_page_token: string | null }>({
        path: `${run(runId)}/steps`,
        query: { page_size: 100, page_token: pageToken },
      });
      return { items: page.steps.map(showStep), nextPageToken: page.next_page_token };
    },
    async export(runId) {
      const read = (page_token: string | undefined) =>
        api.call<ExportPage>({ path: `${run(runId)}/export`, query: { page_token } });
      const { next_page_token, ...first } = await read(undefined);
      const steps = [...first.steps];
      for (let token = next_page_token; token !== null; ) {
        const page = await read(token);
        steps.push(...page.steps);
        token = page.next_page_token;
      }
      return { ...first, steps };
    },
  };
}

const showRun = (run: WireRun): RunRecord => ({
  runId: run.run_id,
  externalId: run.external_id,
  workflowType: run.workflow_type,
  version: run.version,
  taskQueue: run.task_queue,
  scheduleId: run.schedule_id,
  fireAt: date(run.fire_at),
  status: run.status,
  attempts: run.attempts,
  createdAt: new Date(run.created_at),
  startedAt: date(run.started_at),
  finishedAt: date(run.finished_at),
  availableAt: date(run.available_at),
  input: textOf(run.input),
  output: textOf(run.output),
  error: run.error === null ? null : fromWireError(run.error),
  cancelReason: run.cancel_reason,
});

const showStep = (step: WireStep): StepRecord => ({
  stepId: step.step_id,
  kind: step.kind,
  status: step.status,
  attempt: step.attempt,
  createdAt: new Date(step.created_at),
  startedAt: new Date(step.started_at),
  finishedAt: date(step.finished_at),
  nextRetryAt: date(step.next_retry_at),
  wakeAt: date(step.wake_at),
  childRunId: step.child_run_id,
  error: step.error === null ? null : fromWireError(step.error),
  output: textOf(step.output),
});
