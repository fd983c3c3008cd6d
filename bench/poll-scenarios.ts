import { failure } from '../shared/model/failure.ts';
import type { Worker } from '../shared/model/worker.ts';
import type { Engine } from '../shared/store/engine.ts';
import { beginStep } from '../shared/usecases/begin-step.ts';
import { completeRun } from '../shared/usecases/complete-run.ts';
import { completeStep } from '../shared/usecases/complete-step.ts';
import { failStep } from '../shared/usecases/fail-step.ts';
import { heartbeat } from '../shared/usecases/heartbeat.ts';
import type { RunLease } from '../shared/usecases/lease.ts';
import { PAYLOAD, poll, register, start } from './bench-worker.ts';
import { type Figures, toFigures } from './figures.ts';
import type { MeasuredEngine } from './measured-engine.ts';
import { minus, sum, type Usage } from './usage.ts';

const begin = (engine: Engine, lease: RunLease, step: number) =>
  beginStep(engine, lease, { stepId: `step-${step}`, kind: 'FUNCTION', input: PAYLOAD });

const complete = (engine: Engine, lease: RunLease, step: number) =>
  completeStep(engine, lease, `step-${step}`, PAYLOAD);

export async function freshPolledRun({ engine, measure }: MeasuredEngine): Promise<Figures> {
  const worker = await register(engine);
  const begun = await measure(async () => {
    await start(engine);
    const { lease } = await poll(engine, worker);
    await begin(engine, lease, 1);
    return lease;
  });
  const lease = begun.answer;
  const first = await measure(() => complete(engine, lease, 1));
  const steps = await measure(async () => {
    for (let step = 2; step <= 10; step++) {
      await begin(engine, lease, step);
      await complete(engine, lease, step);
    }
  });
  const end = await measure(() => completeRun(engine, lease, PAYLOAD));
  return toFigures(sum(begun.usage, first.usage, steps.usage, end.usage), {
    startToFirstBody: begun.usage.roundTrips,
    perStep: steps.usage.roundTrips / 9,
    finish: end.usage.roundTrips,
  });
}

/** A run of one step whose first attempt fails, less the same without the failure. */
export async function retriedStep(bench: MeasuredEngine): Promise<Figures> {
  const worker = await register(bench.engine);
  return toFigures(minus(await oneStepRun(bench, worker, true), await oneStepRun(bench, worker, false)));
}

async function oneStepRun({ engine, measure, passes }: MeasuredEngine, worker: Worker, fails: boolean): Promise<Usage> {
  const { usage } = await measure(async () => {
    await start(engine);
    let { lease } = await poll(engine, worker);
    await begin(engine, lease, 1);
    if (fails) {
      const error = failure({ message: 'the card was declined' });
      const { retryAt } = await failStep(engine, lease, { stepId: 'step-1', error });
      if (retryAt === null) throw new Error('the step is not tried again');
      await passes(retryAt - engine.clock.now());
      ({ lease } = await poll(engine, worker));
      await begin(engine, lease, 1);
    }
    await complete(engine, lease, 1);
    await completeRun(engine, lease, PAYLOAD);
  });
  return usage;
}

/** The second one, when the worker's item already lists the runs. */
export async function heartbeatOf100({ engine, measure }: MeasuredEngine): Promise<Figures> {
  const worker = await register(engine, 100);
  const { namespace, workerId } = worker;
  const leases: RunLease[] = [];
  for (let run = 0; run < 100; run++) {
    await start(engine);
    leases.push((await poll(engine, worker)).lease);
  }
  const beat = async (): Promise<void> => {
    const { accepted, lost } = await heartbeat(engine, { namespace, workerId, leases });
    if (!accepted || lost.length > 0) throw new Error('the heartbeat did not keep its runs');
  };
  await beat();
  const { usage } = await measure(beat);
  return toFigures(usage);
}
