import type { AnyWorkflow, InputOf, OutputOf } from '../../sdk/context.ts';
import { decodeValue, encodeValue } from '../../sdk/values.ts';
import { type RunningWorker, startEmbeddedWorker } from '../../sdk/worker/embedded-worker.ts';
import { Registry } from '../../sdk/worker/registry.ts';
import type { RunId } from '../../shared/model/run.ts';
import { getRun, type RunDetails } from '../../shared/usecases/get-run.ts';
import { startRun } from '../../shared/usecases/start-run.ts';
import { settle } from './manual-clock.ts';
import type { TestEngine } from './test-engine.ts';

const NAMESPACE = 'shop';
const QUEUE = 'default';
const SKIPPED_AT_MOST = 20 * 365 * 86_400_000;

export interface LogEntry {
  readonly level: string;
  readonly message: string;
}

/** Workflows on a test engine, served in this process while its clock is moved. */
export class WorkflowDriver {
  readonly log: LogEntry[] = [];
  #worker: RunningWorker | null = null;

  constructor(private readonly test: TestEngine) {}

  serve(...workflows: readonly AnyWorkflow[]): void {
    this.#worker = startEmbeddedWorker({
      engine: this.test.engine,
      registry: new Registry(workflows),
      namespace: NAMESPACE,
      taskQueue: QUEUE,
      maxConcurrent: 10,
      log: (level, message) => this.log.push({ level, message }),
    });
  }

  async stop(): Promise<void> {
    const stopped = this.#worker?.stop(0);
    this.#worker = null;
    await this.test.clock.advance(1);
    await stopped;
  }

  async start<W extends AnyWorkflow>(workflow: W, input: InputOf<W>, externalId?: string): Promise<RunId> {
    const { run } = await startRun(this.test.engine, {
      namespace: NAMESPACE,
      taskQueue: QUEUE,
      workflowType: workflow.type,
      version: workflow.version,
      input: encodeValue(input),
      ...(externalId === undefined ? {} : { externalId }),
    });
    return { namespace: run.namespace, runId: run.runId };
  }

  get(run: RunId): Promise<RunDetails> {
    return getRun(this.test.engine, run);
  }

  /** Moves time until the run has ended, skipping what it waits for. */
  async ended(run: RunId, turns = 600, atEachTurn?: () => Promise<void>): Promise<RunDetails> {
    for (let turn = 0; turn < turns; turn++) {
      await settle();
      await atEachTurn?.();
      const details = await this.get(run);
      const { status } = details.run;
      if (status === 'COMPLETED' || status === 'FAILED' || status === 'CANCELLED') return details;
      // What code waits for beside its steps takes real time, however far the clock is moved.
      if (status === 'RUNNING') await new Promise((resolve) => setTimeout(resolve, 1));
      const wait = 'availableAt' in details.run ? details.run.availableAt - this.test.clock.now() : 0;
      // A run that waits for others is not to be waited for: they have times of their own.
      if (wait > 1000 && wait < SKIPPED_AT_MOST) await this.test.clock.advance(wait - 500);
      await this.test.passes(1000);
    }
    throw new Error(`the run is still ${(await this.get(run)).run.status}`);
  }

  async result<W extends AnyWorkflow>(workflow: W, input: InputOf<W>): Promise<OutputOf<W>> {
    const details = await this.ended(await this.start(workflow, input));
    if (details.run.status !== 'COMPLETED') throw new Error(`${details.run.status}: ${details.error?.message}`);
    return decodeValue(details.output) as OutputOf<W>;
  }
}
