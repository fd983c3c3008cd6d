/** What authors and callers import. */

export type { Duration } from '../shared/model/duration.ts';
export { SigningError } from '../shared/model/signing-error.ts';
export type { SignableRequest } from '../shared/ports/request-signer.ts';
export type { Engine } from '../shared/store/engine.ts';
export { InvalidArgumentError } from './check-options.ts';
export { ApiError } from './client/api-error.ts';
export type { AwsCredentialChoice, AwsCredentialProvider, AwsCredentials } from './client/aws-signer.ts';
export {
  type CancelOptions,
  Client,
  type ResultOptions,
  ResultTimeoutError,
  RunHandle,
  type StartOptions,
} from './client/client.ts';
export type { ClientRun, ClientStep } from './client/client-run.ts';
export { type ClientOptions, createClient } from './client/create-client.ts';
export type { FireRecord, ScheduleFilter, Triggered } from './client/schedule-transport.ts';
export {
  type ClientSchedule,
  type ScheduleChanges,
  ScheduleHandle,
  type ScheduleOptions,
  Schedules,
} from './client/schedules.ts';
export type { RunFilter } from './client/transport.ts';
export type {
  AnyWorkflow,
  Branch,
  ChildHandle,
  ChildOptions,
  InputOf,
  LogFields,
  MapOptions,
  OutputOf,
  ParallelOptions,
  RunInfo,
  StepBody,
  StepInfo,
  StepOptions,
  Workflow,
  WorkflowContext,
  WorkflowLog,
} from './context.ts';
export { defineWorkflow, type WorkflowOptions } from './define-workflow.ts';
export { errorKind, type RetryIf } from './error-kind.ts';
export {
  CancelledError,
  ChildFailedError,
  type ErrorKind,
  NonDeterminismError,
  NonRetryableError,
  RetryAfterError,
  RunFailedError,
  RunTimeoutError,
  StepFailedError,
  StepInterruptedError,
  StepTimeoutError,
} from './errors.ts';
export type { ExportedRun } from './exported-run.ts';
export type { LogSink } from './replay/log-sink.ts';
export type { Retry } from './retry.ts';
export { InvalidInputError, type StandardSchema } from './standard-schema.ts';
export { UnstorableError } from './values.ts';
export { createWorker, type Worker, type WorkerOptions } from './worker/create-worker.ts';
export type { PollingWorker, PollOptions } from './worker/poll-worker.ts';
