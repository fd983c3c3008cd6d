import { KagziError } from '../../shared/model/errors.ts';
import type { RetryPolicy } from '../../shared/model/retry-policy.ts';
import { isEnded, type RunningRun } from '../../shared/model/run.ts';
import { type Step, statusAt } from '../../shared/model/step.ts';
import { PortError } from '../../shared/ports/port-error.ts';
import type { Engine } from '../../shared/store/engine.ts';
import { beginStep } from '../../shared/usecases/begin-step.ts';
import { completeRun } from '../../shared/usecases/complete-run.ts';
import { completeStep } from '../../shared/usecases/complete-step.ts';
import { failRun } from '../../shared/usecases/fail-run.ts';
import { failStep } from '../../shared/usecases/fail-step.ts';
import { getRun } from '../../shared/usecases/get-run.ts';
import { heartbeat } from '../../shared/usecases/heartbeat.ts';
import { type RunLease, requireLease } from '../../shared/usecases/lease.ts';
import { getStep } from '../../shared/usecases/list-steps.ts';
import { pollTask, type Task } from '../../shared/usecases/poll-task.ts';
import { recordStep } from '../../shared/usecases/record-step.ts';
import { registerWorker } from '../../shared/usecases/register-worker.ts';
import { releaseRun } from '../../shared/usecases/release-run.ts';
import { sleepRun } from '../../shared/usecases/sleep-run.ts';
import { startChild } from '../../shared/usecases/start-child.ts';
import { Violation } from './ledger.ts';
import { NAMESPACE, TASK_QUEUE } from './place.ts';
import type { Process } from './process.ts';
import {
  type Body,
  boom,
  isLost,
  payloadText,
  recordedText,
  requireCompleted,
  requireThere,
  runBody,
  StepFailed,
  Suspended,
} from './script.ts';
import type { Worker, World } from './world.ts';

export type PollScript = (run: PolledRun) => Promise<string | undefined>;

export interface PollWorkerOptions {
  readonly scripts: Readonly<Record<string, PollScript>>;
  /** Every worker is the same process reborn. */
  readonly sameHost?: boolean;
  /** Begins every step anew, also those that the history shows as completed. */
  readonly ignoresHistory?: boolean;
}

const TRIES = 4;
/** A body starts only on a proof younger than this. */
const PROOF_MS = 1000;

/** A worker that polls and replays a script over the use cases, as one over HTTP does. */
export class PollWorker implements Worker {
  #process: Process;
  #workerId: string | null = null;
  holding: string | null = null;

  constructor(
    readonly world: World,
    readonly options: PollWorkerOptions,
  ) {
    this.#process = world.process('worker');
  }

  get process(): Process {
    return this.#process;
  }

  get workerId(): string {
    return this.#workerId ?? '';
  }

  /** Where workers survive, a call without an answer is made again, with the same lease. */
  async call<T>(request: (engine: Engine) => Promise<T>): Promise<T> {
    if (!this.world.options.workersSurvive) return request(this.#process.engine);
    for (let tries = 1; ; tries++) {
      const process = this.world.process('api');
      const attempt = await this.world.attempt(process, () => request(process.engine));
      if (attempt.outcome === 'done') return attempt.value;
      if (attempt.outcome === 'failed' && !(attempt.error instanceof PortError)) throw attempt.error;
      if (tries === TRIES) throw new Violation('a worker failed more often than one fault can make it');
      await this.world.pass(1000);
    }
  }

  async round(): Promise<void> {
    if (this.#workerId === null) await this.#register();
    for (;;) {
      this.holding = 'polling';
      const task = await this.#poll();
      this.holding = task === null ? null : task.run.runId;
      if (task === null) return;
      await this.world.besideSuccessor('claim', task.run);
      await this.#execute(task);
      // One that was taken for dead meanwhile is not asked for more.
      if (this.#process.wasPaused) return;
    }
  }

  async #register(): Promise<void> {
    const worker = await this.call((engine) =>
      registerWorker(engine, {
        namespace: NAMESPACE,
        name: null,
        hostname: this.options.sameHost === true ? 'here' : null,
        pid: this.options.sameHost === true ? 1 : null,
        version: null,
        taskQueue: TASK_QUEUE,
        workflowTypes: Object.keys(this.options.scripts),
        labels: {},
        maxConcurrent: 10,
        queueConcurrencyLimit: null,
        workflowTypeConcurrency: {},
      }),
    );
    this.#workerId = worker.workerId;
  }

  async #poll(): Promise<Task | null> {
    const { workerId } = this;
    try {
      return await this.call((engine) =>
        pollTask(engine, { namespace: NAMESPACE, taskQueue: TASK_QUEUE, workerId, timeoutMs: 0 }),
      );
    } catch (error) {
      if (!(error instanceof KagziError) || error.code !== 'WORKER_OFFLINE') throw error;
      if (this.#process.wasPaused) return null;
      this.holding = null;
      await this.#register();
      return this.#poll();
    }
  }

  async #execute(task: Task): Promise<void> {
    const script = this.options.scripts[task.run.workflowType];
    if (script === undefined) throw new Violation(`got a run of type ${task.run.workflowType}`);
    const run = new PolledRun(this, task);
    try {
      await run.complete(await script(run));
    } catch (error) {
      if (error instanceof StepFailed) await run.fail(error).catch((failed: unknown) => this.#quietIfLost(failed));
      else if (!(error instanceof Suspended)) this.#quietIfLost(error);
    }
  }

  #quietIfLost(error: unknown): void {
    if (!isLost(error)) throw error;
    if (!this.#process.wasPaused) this.world.ledger.lost += 1;
  }
}

/** A claimed run in the hands of a script. */
export class PolledRun {
  readonly run: RunningRun;
  readonly input: string | undefined;
  readonly #lease: RunLease;
  readonly #history: ReadonlyMap<string, Step>;
  readonly #world: World;

  constructor(
    private readonly worker: PollWorker,
    task: Task,
  ) {
    this.#world = worker.world;
    this.run = task.run;
    this.input = task.input;
    this.#lease = task.lease;
    this.#history = new Map(
      worker.options.ignoresHistory === true ? [] : task.history.map((step) => [step.stepId, step]),
    );
  }

  /** Begin, body, complete. */
  async step(
    stepId: string,
    body: Body = {},
    begin: { readonly input?: string; readonly retryPolicy?: RetryPolicy } = {},
  ): Promise<string> {
    return (await this.#known(stepId)) ?? this.#execute(stepId, begin, false, () => this.#body(stepId, body));
  }

  /** Quickly, for a long history. */
  async record(stepIds: readonly string[]): Promise<void> {
    for (const stepId of stepIds) {
      const output = await this.#body(stepId, {});
      await recordStep(this.#world.observer, this.run, { stepId, output, startedAt: this.#world.now() });
      this.#use(stepId, output);
    }
  }

  /** The first attempt fails; the run, or with `keepLease` the worker, waits for the second. */
  async flaky(stepId: string, keepLease: boolean): Promise<string> {
    return (
      (await this.#known(stepId)) ??
      this.#execute(stepId, {}, keepLease, async (attempt) => {
        if (attempt > 1) return this.#body(stepId, {});
        const { retryAt } = await this.#call((engine) =>
          failStep(engine, this.#lease, { stepId, error: boom(), keepLease }),
        );
        if (!keepLease || retryAt === null) throw new Suspended();
        await this.#world.pass(retryAt - this.#world.now());
        return null;
      })
    );
  }

  async failing(stepId: string): Promise<never> {
    const retryPolicy: RetryPolicy = { kind: 'none' };
    await this.#execute(stepId, { retryPolicy }, false, async () => {
      const { step } = await this.#call((engine) => failStep(engine, this.#lease, { stepId, error: boom() }));
      if (step.status !== 'FAILED') throw new Violation(`a step without retries is ${step.status}`);
      return null;
    });
    throw new Violation(`${stepId} did not fail`);
  }

  async sleep(stepId: string, ms: number): Promise<void> {
    const { ledger } = this.#world;
    const known = this.#history.get(stepId);
    if (known !== undefined && statusAt(known, this.#world.now()) === 'COMPLETED') {
      return ledger.awake(this.run, stepId, this.#world.now());
    }
    const begun = await this.#call((engine) => beginStep(engine, this.#lease, { stepId, kind: 'SLEEP' }));
    if (!begun.shouldExecute) return ledger.awake(this.run, stepId, this.#world.now());
    const until = this.#world.now() + ms;
    const { wakeAt, elapsed } = await this.#call((engine) => sleepRun(engine, this.#lease, { stepId, until }));
    const { step } = await getStep(this.#world.observer, this.run, stepId);
    if (step.status !== 'SLEEPING' || step.wakeAt !== wakeAt) throw new Violation(`${stepId} is not recorded as told`);
    ledger.wakesAt(this.run, stepId, wakeAt);
    if (!elapsed) throw new Suspended();
    ledger.awake(this.run, stepId, this.#world.now());
  }

  /** Starts a child and sleeps until it has ended; its end wakes the sleeper. */
  async child(stepId: string, workflowType: string, input: string): Promise<string> {
    const known = await this.#known(stepId);
    if (known !== null) return known;
    const request = { namespace: NAMESPACE, workflowType, taskQueue: TASK_QUEUE, input };
    const { run } = await this.#call((engine) => startChild(engine, this.#lease, stepId, request));
    this.#world.ledger.startAnswered(`child ${stepId}`, run);
    for (let wait = 0; ; wait++) {
      const child = await this.#call((engine) => getRun(engine, run));
      if (isEnded(child.run)) return this.#completeChild(stepId, child.output ?? '"none"');
      await this.sleep(`${stepId}.wait${wait}`, 600_000);
    }
  }

  /** The owner before us may have recorded it since we claimed: then that counts. */
  async #completeChild(stepId: string, output: string): Promise<string> {
    try {
      return await this.#complete(stepId, output);
    } catch (error) {
      if (!(error instanceof KagziError) || error.code !== 'STEP_FINISHED') throw error;
      const begun = await this.#call((engine) => beginStep(engine, this.#lease, { stepId, kind: 'CHILD_WORKFLOW' }));
      return this.#use(stepId, begun.cachedOutput);
    }
  }

  /** The first run of the function fails and is tried again as a whole. */
  async failOnce(): Promise<void> {
    if (this.run.attempts > 1) return;
    const { retryAt } = await this.#call((engine) => failRun(engine, this.#lease, { error: boom() }));
    if (retryAt === null) throw new Violation('a failure worth a retry ended the run');
    const { run } = await getRun(this.#world.observer, this.run);
    if (run.attempts === this.run.attempts) throw new Violation('a failure was acknowledged, but not counted');
    throw new Suspended();
  }

  async releaseOnce(delayMs: number): Promise<void> {
    if (this.run.epoch > 1) return;
    await this.#call((engine) => releaseRun(engine, this.run, delayMs));
    const { run } = await getRun(this.#world.observer, this.run);
    if (run.epoch === this.run.epoch) throw new Violation("a run was given back, but is still its owner's");
    throw new Suspended();
  }

  async complete(output: string | undefined): Promise<void> {
    const ended = await this.#call((engine) => completeRun(engine, this.#lease, output));
    await requireCompleted(this.#world, ended, output);
  }

  async fail({ stepId, failure }: StepFailed): Promise<void> {
    const request = { error: failure, failedStepId: stepId };
    const { run, retryAt } = await this.#call((engine) => failRun(engine, this.#lease, request));
    if (run.status !== 'FAILED' || retryAt !== null)
      throw new Violation(`an exhausted step left the run ${run.status}`);
  }

  async #known(stepId: string): Promise<string | null> {
    const known = this.#history.get(stepId);
    if (known?.status !== 'COMPLETED') return null;
    return this.#use(stepId, await payloadText(this.#world, this.run, known.output));
  }

  /** `attempt` answers null to have the step begun again. */
  async #execute(
    stepId: string,
    begin: { readonly input?: string; readonly retryPolicy?: RetryPolicy },
    keepLease: boolean,
    attempt: (number: number) => Promise<string | null>,
  ): Promise<string> {
    for (;;) {
      const sentAt = this.#world.now();
      const begun = await this.#call((engine) =>
        beginStep(engine, this.#lease, { stepId, kind: 'FUNCTION', keepLease, ...begin }),
      );
      if (begun.retryAt !== null && !keepLease) throw new Suspended();
      if (begun.retryAt !== null) {
        await this.#world.pass(begun.retryAt - this.#world.now());
        continue;
      }
      if (begun.step?.status === 'FAILED') throw new StepFailed(stepId, begun.step.error);
      if (!begun.shouldExecute) return this.#use(stepId, begun.cachedOutput);
      if (this.#world.now() - sentAt >= PROOF_MS) await this.#call((engine) => requireLease(engine, this.#lease));
      const output = await attempt(begun.step?.attempt ?? 1);
      if (output !== null) return this.#complete(stepId, output);
    }
  }

  #body(stepId: string, body: Body): Promise<string> {
    return runBody(this.#world, this.run, stepId, body, async () => {
      const { workerId } = this.worker;
      const { accepted, lost } = await this.#call((engine) =>
        heartbeat(engine, { namespace: NAMESPACE, workerId, leases: [this.#lease] }),
      );
      if (!accepted || lost.length > 0) throw new KagziError('LEASE_LOST', 'told by the heartbeat');
    });
  }

  async #complete(stepId: string, output: string): Promise<string> {
    const step = await this.#call((engine) => completeStep(engine, this.#lease, stepId, output));
    await requireThere(this.#world, this.run);
    const text = await recordedText(this.#world, this.run, step);
    const shown = await getStep(this.#world.observer, this.run, stepId);
    if (shown.step.status !== 'COMPLETED' || shown.output !== text) {
      throw new Violation(`${stepId} was acknowledged with ${text}, but is ${shown.step.status}: ${shown.output}`);
    }
    return this.#use(stepId, text);
  }

  #use(stepId: string, output: string | undefined): string {
    this.#world.ledger.acknowledged(this.run, stepId, output);
    if (output === undefined) throw new Violation(`${stepId} has no result`);
    return JSON.parse(output) as string;
  }

  #call<T>(request: (engine: Engine) => Promise<T>): Promise<T> {
    return this.worker.call(request);
  }
}
