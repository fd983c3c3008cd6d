import { leaseOf } from '../shared/usecases/lease.ts';
import { sleepRun } from '../shared/usecases/sleep-run.ts';
import { watchdogTick } from '../shared/usecases/watchdog-tick.ts';
import { claim, QUEUE, receive, record, start } from './bench-worker.ts';
import { HOUR } from './direct-scenarios.ts';
import { type Figures, toFigures } from './figures.ts';
import type { MeasuredEngine } from './measured-engine.ts';

const AT_ONCE = 64;

async function manyAtOnce(first: number, last: number, act: (number: number) => Promise<unknown>): Promise<void> {
  let next = first;
  const lane = async (): Promise<void> => {
    while (next <= last) await act(next++);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
}

/** One tick with no run at all, then one with many asleep. */
export async function idleTick({ engine, measure, passes }: MeasuredEngine, asleep: number): Promise<Figures> {
  const tick = async (): Promise<Figures> => {
    const { usage } = await measure(() => watchdogTick(engine));
    return { ...toFigures(usage), indexQueries: usage.indexQueries };
  };
  const noneAsleep = await tick();
  await manyAtOnce(1, asleep, async () => {
    await start(engine);
    const delivery = await receive(engine);
    const lease = leaseOf(await claim(engine, delivery));
    await sleepRun(engine, lease, { stepId: 'nap', until: engine.clock.now() + HOUR });
    await engine.queue.ack(QUEUE, [delivery]);
  });
  await passes(60_000);
  return { ...(await tick()), asleep, noneAsleep };
}

/** What recording the tenth and the last step of one run costs. */
export async function longRun(
  { engine, measure }: MeasuredEngine,
  steps: number,
): Promise<readonly [Figures, Figures]> {
  await start(engine);
  const run = await claim(engine, await receive(engine));
  const figuresOf = async (step: number): Promise<Figures> => {
    const { usage } = await measure(() => record(engine, run, step));
    return toFigures(usage);
  };
  await manyAtOnce(1, 9, (step) => record(engine, run, step));
  const tenth = await figuresOf(10);
  await manyAtOnce(11, steps - 1, (step) => record(engine, run, step));
  return [tenth, await figuresOf(steps)];
}
