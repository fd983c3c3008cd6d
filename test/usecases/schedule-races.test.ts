import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Key } from '../../shared/ports/table.ts';
import { createEngine, type Engine, type EngineParts } from '../../shared/store/engine.ts';
import { SCHEDULE, schedulePk } from '../../shared/store/keys.ts';
import { readSchedule } from '../../shared/store/schedules.ts';
import { backfillSchedule } from '../../shared/usecases/backfill-schedule.ts';
import { changeSchedule } from '../../shared/usecases/change-schedule.ts';
import { createSchedule } from '../../shared/usecases/create-schedule.ts';
import { deleteSchedule } from '../../shared/usecases/delete-schedule.ts';
import { decideFires } from '../../shared/usecases/fire-schedule.ts';
import { getSchedule } from '../../shared/usecases/get-schedule.ts';
import { triggerSchedule } from '../../shared/usecases/trigger-schedule.ts';
import { watchdogTick } from '../../shared/usecases/watchdog-tick.ts';
import { tableWith } from '../helpers/faulty-parts.ts';
import { config, firedRuns, HOUR, ID, schedule } from '../helpers/schedule-driver.ts';
import { SeededRandom } from '../helpers/seeded-random.ts';
import { deliverControl, type TestEngine, testEngine } from '../helpers/test-engine.ts';

const SEEDS = 12;
/** Half an hour past, with a fire of every ten minutes overdue. */
const DUE_MS = HOUR / 2 + 3_000;
const DUE = ['08:10', '08:20', '08:30'];

/** Each call of a port comes a few turns later than it was made: who is first is another matter for each seed. */
function unsteady<P extends object>(port: P, random: () => number): P {
  return new Proxy(port, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      return async (...args: unknown[]) => {
        for (let turns = Math.floor(random() * 4); turns > 0; turns--) await turn();
        return (await Reflect.apply(value, target, args)) as unknown;
      };
    },
  });
}

type Act = (engine: Engine) => Promise<unknown>;
const wakes: Act = (engine) => deliverControl(engine);
const watches: Act = (engine) => watchdogTick(engine);

/** All at once, each in a process of its own; then whoever is left sees to the rest. */
async function race(
  seed: number,
  acts: readonly Act[],
  check: (test: TestEngine, times: readonly string[]) => Promise<void>,
): Promise<void> {
  let parts: EngineParts | undefined;
  const test = await testEngine({ inMemory: true, wrap: (given) => (parts = given) });
  if (parts === undefined) throw new Error('no parts');
  const given = parts;
  const stream = new SeededRandom(seed);
  const random = () => stream.next();
  const processes = acts.map(() =>
    createEngine({ ...given, table: unsteady(given.table, random), queue: unsteady(given.queue, random) }),
  );
  try {
    await schedule(test.engine, {}, { cron: ['*/10 * * * *'] });
    await test.clock.advance(DUE_MS);
    await Promise.all(acts.map((act, index) => act(processes[index] ?? test.engine)));
    await test.passes(10_000);
    const runs = await firedRuns(test.engine);
    await check(
      test,
      runs.map(({ externalId }) => (externalId ?? '').replace('report:2027-01-15T', '').replace(':00Z', '')),
    );
    const left = await readSchedule(test.engine, ID);
    if (left === null) return;
    expect(left.firing).toBeNull();
    expect(left.dueAt).toBe(left.status === 'PAUSED' ? null : (left.nextFireAt ?? 0) + 2_000);
  } finally {
    await test.close();
  }
}

const seeds = Array.from({ length: SEEDS }, (_, index) => index + 1);
describe('whoever is first', () => {
  it('two watchdogs and a message make each fire once', async () => {
    for (const seed of seeds) {
      await race(seed, [watches, watches, wakes], async (test, times) => {
        expect(times, `seed ${seed}`).toEqual(DUE);
        expect((await readSchedule(test.engine, ID))?.fired, `seed ${seed}`).toBe(3);
      });
    }
  });

  it('an update loses nothing that was due by the old times, and keeps none of them', async () => {
    const update: Act = (engine) => changeSchedule(engine, ID, { config: { spec: { cron: ['45 * * * *'] } } });
    for (const seed of seeds) {
      await race(seed, [watches, update, wakes], async (test, times) => {
        expect(times, `seed ${seed}`).toEqual(DUE);
        expect((await readSchedule(test.engine, ID))?.nextFireAt).toBe(Date.parse('2027-01-15T08:45:00Z'));
      });
    }
  });

  it('a pause leaves all of what was decided together, or nothing', async () => {
    const pause: Act = (engine) => changeSchedule(engine, ID, { config: {}, enabled: false });
    const seen = new Set<number>();
    for (const seed of seeds) {
      await race(seed, [watches, pause, wakes], async (test, times) => {
        expect([[], DUE], `seed ${seed}`).toContainEqual(times);
        expect((await readSchedule(test.engine, ID))?.status).toBe('PAUSED');
        seen.add(times.length);
      });
    }
    expect(seen).toEqual(new Set([0, 3]));
  });

  it('a deletion is final, and leaves the runs', async () => {
    for (const seed of seeds) {
      await race(seed, [watches, (engine) => deleteSchedule(engine, ID), wakes], async (test, times) => {
        expect([[], DUE], `seed ${seed}`).toContainEqual(times);
        expect(await readSchedule(test.engine, ID)).toBeNull();
      });
    }
  });

  it('a trigger with one request id, sent twice, starts one run and is counted once', async () => {
    const trigger: Act = (engine) => triggerSchedule(engine, ID, { requestId: 'x' });
    for (const seed of seeds) {
      await race(seed, [watches, trigger, trigger], async (test, times) => {
        expect([...times].sort(), `seed ${seed}`).toEqual([...DUE, 'report:trigger:x']);
        expect((await readSchedule(test.engine, ID))?.fired, `seed ${seed}`).toBe(4);
      });
    }
  });

  it('a trigger that was answered elsewhere while it made what was decided before is not counted again', async () => {
    const test = await testEngine({ inMemory: true });
    try {
      const { engine } = test;
      const made = await schedule(engine, {}, { cron: ['*/10 * * * *'] });
      await test.clock.advance(DUE_MS);
      await decideFires(engine, made, { budget: { left: 100 } });
      const answered: unknown[] = [];
      const table = new Proxy(engine.table, {
        get:
          (target, name) =>
          async (...args: unknown[]) => {
            const isSettling = name === 'update' && (args[0] as { readonly sk: string }).sk === 'schedule';
            if (isSettling && answered.length === 0)
              answered.push(await triggerSchedule(engine, ID, { requestId: 'x' }));
            return (await Reflect.apply(Reflect.get(target, name) as () => unknown, target, args)) as unknown;
          },
      });
      const late = await triggerSchedule(createEngine({ ...engine, table }), ID, { requestId: 'x' });
      expect([late]).toEqual(answered);
      expect((await readSchedule(engine, ID))?.fired).toBe(4);
    } finally {
      await test.close();
    }
  });

  it('a backfill of what is being caught up makes no run twice', async () => {
    const [from, to] = [Date.parse('2027-01-15T08:10:00Z'), Date.parse('2027-01-15T08:30:00Z')];
    const backfill: Act = (engine) => backfillSchedule(engine, ID, { from, to });
    for (const seed of seeds) {
      await race(seed, [watches, backfill, wakes], async (_, times) => {
        expect(times, `seed ${seed}`).toEqual(DUE);
      });
    }
  });

  /** Before the first write like this one, somebody else does something. */
  const interrupted = (test: TestEngine, is: (call: 'update' | 'delete', key: Key) => boolean, act: Act) => {
    let isNext = true;
    const interrupt = async (call: 'update' | 'delete', key: Key): Promise<void> => {
      if (!isNext || !is(call, key)) return;
      isNext = false;
      await act(test.engine);
    };
    const { table } = test;
    return createEngine({
      ...test.engine,
      table: tableWith(table, {
        update: async (key, changes, condition) => {
          await interrupt('update', key);
          return table.update(key, changes, condition);
        },
        delete: async (key, condition) => {
          await interrupt('delete', key);
          return table.delete(key, condition);
        },
      }),
    });
  };
  const ofSchedule = (call: string, key: Key): boolean => call === 'update' && key.sk === SCHEDULE;
  const ofInput = (call: string, key: Key): boolean => call === 'delete' && key.sk.startsWith('input#');
  const inputs = async (test: TestEngine) =>
    (await test.table.query({ pk: schedulePk(ID), prefix: 'input#', consistent: true })).items;
  const [one, other] = ['x', 'y'].map((letter) => JSON.stringify(letter.repeat(400)));

  it('a trigger that was sent twice does not cancel the run that it has started itself', async () => {
    const test = await testEngine({ inMemory: true });
    const trigger: Act = (engine) => triggerSchedule(engine, ID, { requestId: 'x' });
    try {
      await schedule(test.engine, { overlap: 'cancel_other' });
      expect(await trigger(interrupted(test, ofSchedule, trigger))).toMatchObject({ outcome: 'started' });
      expect((await firedRuns(test.engine)).map(({ status }) => status)).toEqual(['PENDING']);
      expect((await readSchedule(test.engine, ID))?.fired).toBe(1);
    } finally {
      await test.close();
    }
  });

  it.each([
    ['before it is written', ofSchedule],
    ['while the one before is dropped', ofInput],
  ])('of two new inputs the later one stays, and nothing of the other: %s', async (_when, is) => {
    const test = await testEngine({ inMemory: true });
    const update =
      (input: string | undefined): Act =>
      (engine) =>
        changeSchedule(engine, ID, { config: {}, input });
    try {
      await createSchedule(test.engine, { ...ID, config: config(), enabled: true, input: '0'.repeat(400) });
      await update(one)(interrupted(test, is, update(other)));
      expect(await inputs(test)).toHaveLength(1);
      expect((await getSchedule(test.engine, ID)).input).toBe(is === ofInput ? other : one);
    } finally {
      await test.close();
    }
  });

  it('leaves no input behind of a schedule that was there already', async () => {
    const test = await testEngine({ inMemory: true });
    const create = { ...ID, config: config(), enabled: true, input: one };
    try {
      await createSchedule(test.engine, create);
      await expect(createSchedule(test.engine, create)).rejects.toThrow('already');
      expect(await inputs(test)).toHaveLength(1);
    } finally {
      await test.close();
    }
  });

  it('an input that is lost fails the fires, and keeps nobody from deleting the schedule', async () => {
    const test = await testEngine({ inMemory: true });
    try {
      await createSchedule(test.engine, { ...ID, config: config(), enabled: true, input: one });
      for (const { pk, sk } of await inputs(test)) await test.table.delete({ pk, sk });
      await test.passes(HOUR + 10_000);
      expect(await readSchedule(test.engine, ID)).toMatchObject({ failed: 1, fired: 0, firing: null });
      await deleteSchedule(test.engine, ID);
      expect(await readSchedule(test.engine, ID)).toBeNull();
    } finally {
      await test.close();
    }
  }, 20_000);

  it('a time that a fast clock has backfilled while it was paused does not come again', async () => {
    const test = await testEngine({ inMemory: true });
    const ahead = 3 * 60_000;
    const fast = createEngine({
      ...test.engine,
      clock: new Proxy(test.clock, {
        get(clock, name) {
          if (name === 'now') return () => clock.now() + ahead;
          const value: unknown = Reflect.get(clock, name, clock);
          return typeof value === 'function' ? value.bind(clock) : value;
        },
      }),
    });
    const enable = (enabled: boolean) => changeSchedule(test.engine, ID, { config: {}, enabled });
    try {
      await schedule(test.engine, { overlap: 'buffer_all' }, { cron: ['* * * * *'] });
      await enable(false);
      await triggerSchedule(test.engine, ID, {});
      const now = test.clock.now();
      await backfillSchedule(fast, ID, { from: now + 1, to: now + ahead });
      await deliverControl(fast);
      expect((await readSchedule(test.engine, ID))?.buffer).toHaveLength(3);
      await enable(true);
      await test.passes(ahead + 1_000);
      expect(await readSchedule(test.engine, ID)).toMatchObject({ nextFireAt: now + ahead + 60_000 });
      expect((await readSchedule(test.engine, ID))?.buffer).toHaveLength(3);
    } finally {
      await test.close();
    }
  });

  it('a deletion that comes late spares the schedule that was made under its id since', async () => {
    const test = await testEngine({ inMemory: true });
    try {
      await schedule(test.engine);
      const table = new Proxy(test.engine.table, {
        get:
          (target, name) =>
          async (...args: unknown[]) => {
            if (name === 'delete') {
              await deleteSchedule(test.engine, ID);
              await createSchedule(test.engine, { ...ID, config: config(), enabled: true });
            }
            return (await Reflect.apply(Reflect.get(target, name) as () => unknown, target, args)) as unknown;
          },
      });
      await deleteSchedule(createEngine({ ...test.engine, table }), ID);
      expect(await readSchedule(test.engine, ID)).not.toBeNull();
    } finally {
      await test.close();
    }
  });
});
