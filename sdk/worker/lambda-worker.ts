import { traceOfXray } from '../../shared/model/request-trace.ts';
import { Stop } from '../../shared/model/stop.ts';
import type { Engine } from '../../shared/store/engine.ts';
import { claimRun } from '../../shared/usecases/claim-run.ts';
import { passOn } from '../../shared/usecases/pass-on.ts';
import { readRunMessage, resendMessage } from '../../shared/usecases/run-message.ts';
import { tracedEngine } from '../../shared/usecases/traced-engine.ts';
import { type LogSink, withFields } from '../replay/log-sink.ts';
import { proofNow } from './direct-journal.ts';
import { holdRun } from './hold-run.ts';
import type { Registry } from './registry.ts';

export interface LambdaWorkerParts {
  /** Once, at the first event; again at the next one if that failed. */
  readonly open: () => Promise<OpenedEngine>;
  /** Whether to open it before the first event. */
  readonly eager?: boolean;
  readonly registry: Registry;
  readonly log: LogSink;
  readonly logErrors?: boolean;
}

export interface OpenedEngine {
  readonly engine: Engine;
  /** Called at the end of each invocation. */
  readonly flush?: () => void;
}

/** The part of an SQS event, its context and the answer that is used here. */
export interface SqsEvent {
  readonly Records: readonly SqsRecord[];
}
export interface SqsRecord {
  readonly messageId: string;
  readonly body: string;
  /** `AWSTraceHeader` is the trace of whoever sent it. */
  readonly attributes?: { readonly AWSTraceHeader?: string | undefined };
}
export interface LambdaContext {
  getRemainingTimeInMillis(): number;
}
export interface BatchAnswer {
  readonly batchItemFailures: { readonly itemIdentifier: string }[];
}

export type LambdaHandler = (event: SqsEvent, context: LambdaContext) => Promise<BatchAnswer>;

/** Waiting is paid for in a Lambda: beyond about this long, putting the run down is cheaper. */
const HOLD_MS = 1_000;
/** So long before the deadline nothing more is started, and then whatever is still under way is given up. */
const HANDOVER_MS = 15_000;
const LAST_MS = 3_000;

/** An SQS-triggered handler. A message that could not be served is reported alone, so that SQS delivers it again. */
export function lambdaHandler(parts: LambdaWorkerParts): LambdaHandler {
  let opened: Promise<OpenedEngine> | null = null;
  const open = async (): Promise<OpenedEngine> => {
    try {
      return await parts.open();
    } catch (error) {
      // The next invocation tries anew: the container lives on.
      opened = null;
      throw error;
    }
  };
  if (parts.eager === true) {
    opened = open();
    // The first event is told.
    opened.catch(() => undefined);
  }
  return async (event, context) => {
    opened ??= open();
    const { engine, flush } = await opened;
    const deadline = deadlines(engine, context.getRemainingTimeInMillis());
    try {
      const failed = await Promise.all(event.Records.map((record) => serve(parts, engine, record, deadline)));
      return { batchItemFailures: failed.flatMap((id) => (id === null ? [] : [{ itemIdentifier: id }])) };
    } finally {
      deadline.done();
      flush?.();
    }
  };
}

interface Deadline {
  readonly handover: Stop;
  readonly end: Stop;
  done(): void;
}

function deadlines({ clock }: Engine, remainingMs: number): Deadline {
  const done = new AbortController();
  const after = (ms: number): Stop => {
    const reached = new Stop();
    void clock.sleep(Math.max(0, ms), done.signal).then(
      () => reached.tell(),
      () => undefined,
    );
    return reached;
  };
  return {
    handover: after(remainingMs - Math.min(HANDOVER_MS, remainingMs / 4)),
    end: after(remainingMs - Math.min(LAST_MS, remainingMs / 10)),
    done: () => done.abort(),
  };
}

/** The id of the message if it is to come again. */
async function serve(
  { registry, log, logErrors = false }: LambdaWorkerParts,
  shared: Engine,
  record: SqsRecord,
  { handover, end }: Deadline,
): Promise<string | null> {
  // Of each message its own: those of a batch are served at the same time.
  const trace = traceOfXray(record.attributes?.AWSTraceHeader ?? '');
  const engine = tracedEngine(shared, trace);
  try {
    const message = readRunMessage(record.body);
    if (message === null || handover.isTold) return record.messageId;
    const workflow = registry.find(message.workflowType, message.version);
    if (workflow === null) {
      await passOn(engine, message, registry.versionsOf(message.workflowType));
      return null;
    }
    const claimSentAt = proofNow(engine);
    const claim = await claimRun(engine, message, { owner: `lambda:${record.messageId}`, session: null });
    if (claim.outcome === 'early') await resendMessage(engine, message, claim.at);
    if (claim.outcome !== 'claimed') return null;
    const logging = { log: trace === null ? log : withFields(log, { trace_id: trace.id }), logErrors };
    const held = {
      workflow,
      claim,
      claimSentAt,
      holdMs: HOLD_MS,
      leaving: end,
      hasDeadline: true,
      handover,
      ...logging,
    };
    const outcome = await holdRun(engine, held);
    engine.telemetry.log('debug', 'run put down', { run_id: message.runId, outcome });
    return null;
  } catch (error) {
    const message = readRunMessage(record.body);
    const named = message === null ? {} : { run_id: message.runId, workflow_type: message.workflowType };
    engine.telemetry.log('error', 'a message could not be served; it comes again', { ...named, error: String(error) });
    return record.messageId;
  }
}
