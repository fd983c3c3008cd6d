import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Run } from '../../shared/model/run.ts';
import { PortError } from '../../shared/ports/port-error.ts';
import type { OutgoingMessage } from '../../shared/ports/queue.ts';
import { createEngine } from '../../shared/store/engine.ts';
import { claimRun } from '../../shared/usecases/claim-run.ts';
import { completeRun } from '../../shared/usecases/complete-run.ts';
import { sleepRun } from '../../shared/usecases/sleep-run.ts';
import { sweepShard, watchdogTick } from '../../shared/usecases/watchdog-tick.ts';
import { dumpItems, loseMessages, loseTimers } from '../helpers/dump-store.ts';
import { evenIds, queueWith, tableWith } from '../helpers/faulty-parts.ts';
import { deliverControl, type TestEngine, testEngine } from '../helpers/test-engine.ts';
import { claim, headOf, lapse, register, start, startAndTake, take } from '../helpers/worker-driver.ts';

let test: TestEngine;
/** What the queue does before it takes a message. */
let onSend: (queue: string, messages: readonly OutgoingMessage[]) => Promise<void>;
beforeEach(async () => {
  onSend = async () => undefined;
  test = await testEngine({
    wrap: (parts) => ({
      ...parts,
      ids: evenIds(parts.ids),
      queue: queueWith(parts.queue, {
        send: async (queue, messages) => {
          await onSend(queue, messages);
          await parts.queue.send(queue, messages);
        },
      }),
    }),
  });
});
afterEach(() => test.close());

describe('a dispatch that nobody takes', () => {
  it('is sent again after 30 s, and then ever more rarely, up to a quarter of an hour', async () => {
    const begun = test.clock.now();
    await start(test);
    const sent: number[] = [];
    onSend = async () => void sent.push((test.clock.now() - begun) / 1_000);
    loseMessages(test);
    await test.passes(3_600_000);
    expect(sent).toEqual([30, 90, 210, 450, 930, 1_830, 2_730]);
    expect(test.telemetry.counts.get('dispatches_resent')).toBe(7);
  });

  it('is looked at when the lease ends if its claim was the last that its worker did, however long it had waited', async () => {
    const run = await start(test);
    loseMessages(test);
    await test.passes(2_800_000);
    const waiting = await headOf(test, run);
    expect(waiting.dueAt).toBeGreaterThan(test.clock.now() + 600_000);
    let updates = 0;
    const table = tableWith(test.engine.table, {
      update: async (...write) => {
        if (++updates > 1) throw new PortError('invalid', 'the process died');
        return test.engine.table.update(...write);
      },
    });
    await claimRun(createEngine({ ...test.engine, table }), waiting, { owner: 'x', session: null });
    const { dueAt, ...claimed } = await headOf(test, run);
    expect(claimed).toMatchObject({ status: 'RUNNING', lease: { until: dueAt } });
  });

  it('has its due time pushed before it is sent, so that a crash in between costs only time', async () => {
    const run = await start(test);
    loseMessages(test);
    const dueWhenSent: (number | null)[] = [];
    onSend = async () => {
      dueWhenSent.push((await headOf(test, run)).dueAt);
      throw new PortError('unavailable', 'the process died');
    };
    await test.passes(30_000);
    const pushed = test.clock.now() + 60_000;
    expect(dueWhenSent).toEqual([pushed]);
    expect(await headOf(test, run)).toMatchObject({ dueAt: pushed, resends: 1 });
    onSend = async () => undefined;
    await test.passes(60_000);
    expect((await take(test)).run).toMatchObject({ runId: run.runId, resends: 0 });
  });

  it('because the start could not send it, is not the end of the run', async () => {
    onSend = () => Promise.reject(new PortError('unknown', 'the queue is down'));
    const run = await start(test);
    onSend = async () => undefined;
    await test.passes(30_000);
    expect((await take(test)).run.runId).toBe(run.runId);
  });

  it('is found soon if its late worker dies too', async () => {
    const run = await start(test);
    await test.passes(1_000_000);
    const { run: held } = await take(test);
    expect(held.dueAt).toBeLessThanOrEqual(held.lease.until);
    await lapse(test);
    expect(await headOf(test, run)).toMatchObject({ status: 'PENDING', epoch: 2 });
  });
});

describe('a lost wake-up', () => {
  it.each([
    ['message', 60_000],
    ['timer', 3_600_000],
  ])('costs time, not the run: its %s', async (_what, ms) => {
    const { lease, run } = await startAndTake(test);
    const { wakeAt } = await sleepRun(test.engine, lease, { stepId: 'nap', until: test.clock.now() + ms });
    loseMessages(test);
    loseTimers(test);
    await test.clock.advance(ms);
    await test.passes(29_000);
    expect(await headOf(test, run)).toMatchObject({ status: 'SLEEPING', resends: 0 });
    await test.passes(2_000);
    const task = await take(test);
    expect(task.run.runId).toBe(run.runId);
    expect(test.clock.now()).toBeGreaterThanOrEqual(wakeAt);
  });

  it('and a message delivered twice starts nothing twice', async () => {
    await start(test);
    const [original] = await test.queue.receive('default', { max: 1, waitMs: 0, visibilityMs: 0 });
    const { body = '', group = '', kind = '' } = original ?? {};
    await test.queue.send('default', [{ body, group, kind }]);
    const worker = await register(test);
    const { lease } = await take(test, worker);
    await expect(take(test, worker)).rejects.toThrow('no run');
    await completeRun(test.engine, lease, '1');
    await test.queue.send('default', [{ body, group, kind }]);
    await expect(take(test, worker)).rejects.toThrow('no run');
  });
});

describe('a tick', () => {
  it('is one index query and no write, with many runs asleep', async () => {
    for (let n = 0; n < 50; n++) {
      const run = await claim(test, await start(test));
      const lease = { ...run, generation: 0, token: run.lease.token };
      await sleepRun(test.engine, lease, { stepId: 'nap', until: test.clock.now() + 80_000_000 });
    }
    test.table.reset();
    expect(await watchdogTick(test.engine)).toEqual({ handled: 0 });
    const { calls, writeUnits } = test.table.snapshot();
    const used = Object.entries(calls).filter(([, times]) => times > 0);
    expect({ used, writeUnits }).toEqual({ used: [['queryIndex', 1]], writeUnits: 0 });
  });

  it('looks at every shard', async () => {
    const sharded = await testEngine({ config: { dueShards: 4 } });
    await Promise.all(Array.from({ length: 40 }, () => start(sharded)));
    loseMessages(sharded);
    await sharded.passes(30_000);
    expect(await sharded.queue.depth('default')).toMatchObject({ ready: 40 });
    await sharded.close();
  });

  it('that finds too much leaves the rest to sweep messages', async () => {
    await Promise.all(Array.from({ length: 250 }, () => start(test)));
    loseMessages(test);
    await test.clock.advance(30_000);
    expect(await watchdogTick(test.engine)).toEqual({ handled: 100 });
    expect(await test.queue.depth('default')).toMatchObject({ ready: 100 });
    await deliverControl(test.engine);
    expect(await test.queue.depth('default')).toMatchObject({ ready: 250 });
    expect(await watchdogTick(test.engine)).toEqual({ handled: 0 });
  });

  it('beside many others does no harm', async () => {
    const waiting = await Promise.all(Array.from({ length: 20 }, () => start(test)));
    const held: Run[] = [];
    for (const run of await Promise.all(Array.from({ length: 20 }, () => start(test))))
      held.push(await claim(test, run));
    loseMessages(test);
    await test.clock.advance(31_000);
    await Promise.all(Array.from({ length: 6 }, () => watchdogTick(test.engine)));
    await Promise.all(Array.from({ length: 3 }, () => sweepShard(test.engine, 0)));
    for (const run of waiting)
      expect(await headOf(test, run)).toMatchObject({ status: 'PENDING', epoch: 0, resends: 1 });
    for (const run of held) expect(await headOf(test, run)).toMatchObject({ status: 'PENDING', epoch: 2, stalls: 1 });
    expect(await test.queue.depth('default')).toMatchObject({ ready: 40 });
  });

  it('is not stopped by an item of a newer format', async () => {
    const unreadable = await start(test);
    const pk = dumpItems(test).find((item) => item.sk === 'head')?.pk ?? '';
    await test.table.update({ pk, sk: 'head' }, { set: { v: 99 } });
    const others = await Promise.all(Array.from({ length: 120 }, () => start(test)));
    loseMessages(test);
    await test.passes(31_000);
    expect(await test.queue.depth('default')).toMatchObject({ ready: others.length });
    const errors = test.telemetry.lines.filter((line) => line.level === 'error');
    expect(errors).toMatchObject([{ fields: { pk } }]);
    const { item } = await test.table.get({ pk, sk: 'head' });
    expect(item).toMatchObject({ v: 99, st: 'PENDING', w: unreadable.incarnation });
    expect(Number(item?.ds)).toBe(test.clock.now() - 1_000 + 15 * 60_000);
  });
});
