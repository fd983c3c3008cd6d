import { childRunId, runIdFor } from '../../shared/model/ids.ts';
import { Stop } from '../../shared/model/stop.ts';
import type { AnyWorkflow, ChildOptions } from '../context.ts';
import { ChildFailedError, NonRetryableError } from '../errors.ts';
import { retryPolicyOf } from '../retry.ts';
import { decodeValue } from '../values.ts';
import type { Asked, Execution } from './execution.ts';
import { fromFailure, toFailure } from './failures.ts';
import { mismatch, shown } from './history.ts';
import type { ChildEnd, ChildRequest, Outcome, RecordedStep } from './journal.ts';
import type { Operation, Settle } from './operation.ts';

const REFUSALS: ReadonlySet<string> = new Set([
  'EXTERNAL_ID_CONFLICT',
  'TASK_QUEUE_NOT_FOUND',
  'PAYLOAD_TOO_LARGE',
  'INVALID_ARGUMENT',
  'STEP_FINISHED',
  'STEP_KIND_CONFLICT',
]);

interface Child {
  readonly id: string;
  readonly workflow: AnyWorkflow;
  /** Encoded. */
  readonly input: string | undefined;
  readonly options: ChildOptions;
}

/** Its run id is known before it starts: so a handle needs no waiting, and a replay no record, to be the same. */
export function childOperation(
  execution: Execution,
  asked: Asked,
  settle: Settle,
  { id, workflow, input, options }: Child,
): { readonly operation: Operation; readonly runId: string } {
  const { place, recorded } = asked;
  requireType(recorded, workflow.type);
  const { journal } = execution.parts;
  const { namespace, runId: parentRunId } = journal.run;
  const link = { runId: parentRunId, incarnation: journal.incarnation, stepId: place.key };
  const runId =
    options.externalId === undefined ? childRunId(namespace, link) : runIdFor(namespace, options.externalId);
  const operation: Operation = {
    kind: 'CHILD_WORKFLOW',
    place,
    recorded,
    stopping: new Stop(),
    waiting: { for: 'start' },
    async work() {
      if (started || execution.hasEnded(place.key)) return finish();
      const begun = startOrFail({
        workflowType: workflow.type,
        version: options.version ?? workflow.version,
        taskQueue: options.taskQueue,
        externalId: options.externalId,
        input,
        retryPolicy: retryPolicyOf(options.retry ?? workflow.retry),
      });
      starting = begun;
      const ended = await begun;
      started = true;
      if (ended) return finish();
      operation.waiting = { for: 'child', runId };
    },
    async cancel() {
      await starting;
      if (started || recorded?.state.status === 'RUNNING') await journal.cancelChild(runId);
    },
    settle: (outcome) => settleChild(outcome, place.key, execution, settle),
    reject: settle.reject,
  };
  let started = false;
  let starting: Promise<boolean> | null = null;
  const startedAt = recorded?.startedAt ?? execution.parts.clock.now();
  /** A child that can never be started is the fault of the code: no other worker would fare better. */
  const startOrFail = async (request: ChildRequest): Promise<boolean> => {
    try {
      return (await journal.startChild(place, request)).ended;
    } catch (error) {
      const { code, message } = error as { readonly code?: string; readonly message: string };
      if (code === undefined || !REFUSALS.has(code)) throw error;
      execution.failWith(
        new NonRetryableError(`The child "${id}" cannot be started: ${message}`, { code, cause: error }),
      );
      return false;
    }
  };
  const finish = async (): Promise<void> => {
    // It was started, whoever did it: the run may end without it.
    operation.waiting = { for: 'work', first: false };
    const end = await journal.childEnd(place, runId);
    const child = { runId, type: workflow.type };
    await execution.record(operation, (order) =>
      end?.status === 'COMPLETED'
        ? journal.complete(place, { child, output: end.output, order, attempt: 1, startedAt })
        : journal.fail(place, {
            child,
            error: toFailure(end === null ? childGone(runId) : childError(end), true),
            retryAfterMs: undefined,
            retryPolicy: undefined,
            order,
            attempt: 1,
            startedAt,
          }),
    );
  };
  return { operation, runId };
}

/** Its version may change, since a child that has been started keeps its own. */
function requireType(recorded: RecordedStep | undefined, type: string): void {
  if (recorded === undefined || recorded.childType === null || recorded.childType === type) return;
  const child = shown('CHILD_WORKFLOW', recorded.key);
  throw mismatch(`The history has ${child} of type "${recorded.childType}"`, `the code asks for one of type "${type}"`);
}

function childError({ runId, status, error }: ChildEnd): ChildFailedError {
  const failed = status === 'FAILED';
  const message = failed
    ? `The child run ${runId} failed: ${error?.message ?? ''}`
    : `The child run ${runId} was cancelled.`;
  const cause = error === null ? undefined : Object.assign(new Error(error.message), { code: error.code });
  return new ChildFailedError(message, runId, failed ? 'FAILED' : 'CANCELLED', {
    code: error?.code ?? 'CHILD_FAILED',
    ...(cause === undefined ? {} : { cause }),
  });
}

const childGone = (runId: string): ChildFailedError =>
  new ChildFailedError(
    `The child run ${runId} has ended, but it was deleted, or its retention ended, before its result was read.`,
    runId,
    'GONE',
    { code: 'CHILD_GONE' },
  );

function settleChild(outcome: Outcome, key: string, execution: Execution, settle: Settle): void {
  if (outcome.status === 'COMPLETED') settle.resolve(decodeValue(outcome.output));
  else settle.reject(fromFailure(outcome.error, key, execution.parts.workflow.errors));
}
