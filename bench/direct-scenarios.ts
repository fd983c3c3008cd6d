import { indexEntry, indexRowSize, itemSize } from '../shared/model/item-size.ts';
import type { Run } from '../shared/model/run.ts';
import { CONTROL_QUEUE } from '../shared/ports/queue.ts';
import type { Engine } from '../shared/store/engine.ts';
import { runPk } from '../shared/store/keys.ts';
import { handleControl } from '../shared/usecases/handle-control.ts';
import { leaseOf } from '../shared/usecases/lease.ts';
import { sleepRun } from '../shared/usecases/sleep-run.ts';
import { claim, finish, QUEUE, receive, record, recordInTurn, start, tryClaim, VISIBILITY_MS } from './bench-worker.ts';
import { type Figures, toFigures } from './figures.ts';
import type { MeasuredEngine } from './measured-engine.ts';
import { minus, sum, type Usage } from './usage.ts';

export const HOUR = 3_600_000;
const STORAGE_OVERHEAD = 100;

export async function freshRun({ engine, measure }: MeasuredEngine): Promise<Figures> {
  const begun = await measure(async () => {
    await start(engine);
    const delivery = await receive(engine);
    return { delivery, run: await claim(engine, delivery) };
  });
  const { run, delivery } = begun.answer;
  const steps = await measure(() => recordInTurn(engine, run, 1, 10));
  const end = await measure(() => finish(engine, run));
  const ack = await measure(() => engine.queue.ack(QUEUE, [delivery]));
  const trips = {
    startToFirstBody: begun.usage.roundTrips,
    perStep: steps.usage.roundTrips / 10,
    finish: end.usage.roundTrips,
  };
  const figures = toFigures(sum(begun.usage, steps.usage, end.usage, ack.usage), trips);
  return { ...figures, storedBytes: await storedBytes(engine, run) };
}

async function storedBytes(engine: Engine, run: Run): Promise<number> {
  const { items } = await engine.table.query({ pk: runPk(run) });
  let bytes = 0;
  for (const item of items) {
    bytes += itemSize(item) + STORAGE_OVERHEAD;
    for (const index of ['due', 'list'] as const) {
      const entry = indexEntry(item, index);
      if (entry !== null) bytes += indexRowSize(index, entry, item.pk, item.sk) + STORAGE_OVERHEAD;
    }
  }
  return bytes;
}

/** The dead worker's message comes back too, and its claim is lost: that is billed like any write. */
export async function resumedRun({ engine, measure, passes }: MeasuredEngine): Promise<Figures> {
  const { usage } = await measure(async () => {
    await start(engine);
    await recordInTurn(engine, await claim(engine, await receive(engine)), 1, 5);
    await passes(engine.config.leaseMs);
    const second = await receive(engine);
    const run = await claim(engine, second);
    await recordInTurn(engine, run, 6, 10);
    await finish(engine, run);
    await engine.queue.ack(QUEUE, [second]);
    await passes(VISIBILITY_MS);
    const stale = await receive(engine);
    const { outcome } = await tryClaim(engine, stale);
    if (outcome !== 'moot') throw new Error('an ended run was claimed');
    await engine.queue.ack(QUEUE, [stale]);
  });
  return toFigures(usage);
}

/** A run of one step with the sleep, less the same without. */
export async function sleep(bench: MeasuredEngine): Promise<Figures> {
  return toFigures(minus(await oneStepRun(bench, true), await oneStepRun(bench, false)));
}

async function oneStepRun({ engine, measure, passes }: MeasuredEngine, sleeps: boolean): Promise<Usage> {
  const { usage } = await measure(async () => {
    await start(engine);
    let delivery = await receive(engine);
    let run = await claim(engine, delivery);
    if (sleeps) {
      await sleepRun(engine, leaseOf(run), { stepId: 'nap', until: engine.clock.now() + HOUR });
      await engine.queue.ack(QUEUE, [delivery]);
      await passes(HOUR);
      const wake = await receive(engine, CONTROL_QUEUE);
      await handleControl(engine, wake.body);
      await engine.queue.ack(CONTROL_QUEUE, [wake]);
      delivery = await receive(engine);
      run = await claim(engine, delivery);
    }
    await record(engine, run, 1);
    await finish(engine, run);
    await engine.queue.ack(QUEUE, [delivery]);
  });
  return usage;
}

export async function unservedHour({ engine, measure, passes }: MeasuredEngine): Promise<Figures> {
  const { usage } = await measure(async () => {
    await start(engine);
    await passes(HOUR);
  });
  return toFigures(usage);
}
