import type { RunningRun } from '../../shared/model/run.ts';
import type { Step } from '../../shared/model/step.ts';
import { decodeRunMessage } from '../../shared/store/dispatch.ts';
import { readRun } from '../../shared/store/run-head.ts';
import { claimRun } from '../../shared/usecases/claim-run.ts';
import { endRun } from '../../shared/usecases/end-run.ts';
import { holds, leaseLost, leaseOf } from '../../shared/usecases/lease.ts';
import { recordStep } from '../../shared/usecases/record-step.ts';
import { renewLease } from '../../shared/usecases/renew-lease.ts';
import { Violation } from './ledger.ts';
import { NAMESPACE, TASK_QUEUE } from './place.ts';
import type { Process } from './process.ts';
import { type Body, isLost, payloadText, recordedText, requireCompleted, runBody } from './script.ts';
import type { Worker, World } from './world.ts';

export type DirectScript = (run: DirectRun) => Promise<string | undefined>;

const PROOF_MS = 1000;

/** A worker in the account: receives the message itself, records results with one put, renews its own lease. */
export class DirectWorker implements Worker {
  readonly process: Process;
  holding: string | null = null;

  constructor(
    readonly world: World,
    private readonly scripts: Readonly<Record<string, DirectScript>>,
  ) {
    this.process = world.process('worker');
  }

  async round(): Promise<void> {
    const { engine } = this.process;
    for (;;) {
      this.holding = 'polling';
      const options = { max: 1, waitMs: 0, visibilityMs: 45_000, group: NAMESPACE, kinds: Object.keys(this.scripts) };
      const [delivery] = await engine.queue.receive(TASK_QUEUE, options);
      if (delivery === undefined) return;
      const message = decodeRunMessage(delivery.body);
      if (message === null) throw new Violation('an unreadable message');
      const provenAt = this.world.now();
      const claim = await claimRun(engine, message, { owner: this.process.name, session: null });
      if (claim.outcome === 'early') {
        await engine.queue.release(TASK_QUEUE, delivery, Math.max(0, claim.at - this.world.now()));
        continue;
      }
      if (claim.outcome === 'claimed') await this.#execute(claim.run, claim.history, provenAt);
      await engine.queue.ack(TASK_QUEUE, [delivery]);
      if (this.process.wasPaused) return;
    }
  }

  async #execute(claimed: RunningRun, history: readonly Step[], provenAt: number): Promise<void> {
    this.holding = claimed.runId;
    await this.world.besideSuccessor('claim', claimed);
    const script = this.scripts[claimed.workflowType];
    if (script === undefined) throw new Violation(`got a run of type ${claimed.workflowType}`);
    const run = new DirectRun(this.world, this.process, claimed, history, provenAt);
    try {
      await run.complete(await script(run));
    } catch (error) {
      if (!isLost(error)) throw error;
      if (!this.process.wasPaused) this.world.ledger.lost += 1;
    }
  }
}

export class DirectRun {
  readonly #history: ReadonlyMap<string, Step>;
  #run: RunningRun;
  #steps: number;
  #provenAt: number;

  constructor(
    private readonly world: World,
    private readonly process: Process,
    run: RunningRun,
    history: readonly Step[],
    provenAt: number,
  ) {
    this.#run = run;
    this.#history = new Map(history.map((step) => [step.stepId, step]));
    this.#steps = history.length;
    this.#provenAt = provenAt;
  }

  async step(stepId: string, body: Body = {}): Promise<string> {
    const known = this.#history.get(stepId);
    if (known?.status === 'COMPLETED') return this.#use(stepId, await payloadText(this.world, this.#run, known.output));
    if (this.world.now() - this.#provenAt >= PROOF_MS) await this.renew();
    const startedAt = this.world.now();
    const output = await runBody(this.world, this.#run, stepId, body, () => this.renew());
    const step = await recordStep(this.process.engine, this.#run, { stepId, output, startedAt });
    this.#steps += 1;
    const text = await recordedText(this.world, this.#run, step);
    // Nobody relies on what is recorded under a lease that was lost: no later write of its owner counts.
    const head = await readRun(this.world.observer, this.#run);
    return holds(head, leaseOf(this.#run)) ? this.#use(stepId, text) : (JSON.parse(text ?? '""') as string);
  }

  async renew(): Promise<void> {
    const sentAt = this.world.now();
    this.#run = await renewLease(this.process.engine, this.#run, this.#steps);
    this.#provenAt = sentAt;
  }

  async complete(output: string | undefined): Promise<void> {
    const write = await endRun(this.process.engine, this.#run, { status: 'COMPLETED', output });
    if (!write.ok) throw leaseLost(leaseOf(this.#run), write.current);
    await requireCompleted(this.world, this.#run, output);
  }

  #use(stepId: string, output: string | undefined): string {
    this.world.ledger.acknowledged(this.#run, stepId, output);
    if (output === undefined) throw new Violation(`${stepId} has no result`);
    return JSON.parse(output) as string;
  }
}
