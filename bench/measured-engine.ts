import type { Table } from '../shared/ports/table.ts';
import type { Engine } from '../shared/store/engine.ts';
import { watchdogTick } from '../shared/usecases/watchdog-tick.ts';
import { testEngine } from '../test/helpers/test-engine.ts';
import { PortCalls } from './port-calls.ts';
import { minus, NOTHING, sum, type Usage } from './usage.ts';

export interface MeasuredEngine {
  readonly engine: Engine;
  readonly measure: <T>(act: () => Promise<T>) => Promise<{ readonly answer: T; readonly usage: Usage }>;
  /**
   * Moves time by seconds, with a tick of the watchdog at each. Ticks that find nothing due are left out of what is
   * measured: they cost the same whether the run is there or not, and `idle-tick` says what.
   */
  readonly passes: (ms: number) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** No round number: those take fewer bytes in an item than most times do. */
const ODD_MS = 12_345_679;

/** On the given table or an embedded one; queue, timers and blobs are embedded, and time stands still by itself. */
export async function measuredEngine(table: Table | null): Promise<MeasuredEngine> {
  const calls = new PortCalls();
  const test = await testEngine({
    ...(table === null ? {} : { table }),
    wrap: (parts) => calls.observe(parts),
  });
  const { engine, clock } = test;
  await clock.advance(ODD_MS);
  let idle = NOTHING;
  const used = (): Usage => {
    const { writeUnits, readUnits, transactions, calls: tableCalls } = test.table.snapshot();
    const { queueCalls, timerCalls, roundTrips } = calls;
    const all = { writeUnits, readUnits, transactions, indexQueries: tableCalls.queryIndex };
    return minus({ ...all, queueCalls, timerCalls, roundTrips }, idle);
  };
  return {
    engine,
    async measure(act) {
      const before = used();
      const answer = await act();
      return { answer, usage: minus(used(), before) };
    },
    async passes(ms) {
      for (let left = ms; left > 0; left -= 1000) {
        await clock.advance(Math.min(left, 1000));
        const before = used();
        const { handled } = await watchdogTick(engine);
        const spent = minus(used(), before);
        if (handled === 0 && spent.writeUnits === 0) idle = sum(idle, spent);
      }
    },
    close: () => test.close(),
  };
}
