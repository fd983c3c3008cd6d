import assert from 'node:assert/strict';
import { reminder } from '../../../../examples/reminder.ts';
import type { E2eWorld } from '../e2e-world.ts';
import type { Scenario } from '../scenario.ts';

const MINUTE = 60_000;
/** Late by this much at most: a tick, a receive and the steps in which the clock is moved, which goes on beside them. */
const LATE_MS = 10_000;

async function sleepFor(world: E2eWorld, after: '2s' | '20m', ms: number): Promise<void> {
  const handle = await world.client().start(reminder, { text: 'tea', after });
  await world.bed.until('the sleep', async () => (await handle.status()) === 'SLEEPING');
  const schedules = (): number => world.bed.standIns.scheduler.book.list({ prefix: '' }).schedules.length;
  // It is armed after the sleep was written.
  if (ms > 15 * MINUTE) await world.bed.until('a schedule for the long sleep', () => schedules() === 1);
  else assert.equal(schedules(), 0, 'none for a short one');
  if (ms > MINUTE) {
    await world.bed.pass(ms - MINUTE, MINUTE);
    assert.equal(await handle.status(), 'SLEEPING', 'it does not wake a minute early');
    assert.equal(schedules(), 0, 'the schedule has fired and is gone');
    await world.bed.pass(MINUTE / 2, 10_000);
  }
  const { text } = (await world.passUntilEnd(handle, 2 * MINUTE, 1_000)) as { readonly text: string };
  assert.equal(text, 'tea');
  const [wait, remind] = await handle.steps();
  const late = Number(remind?.startedAt) - Number(wait?.wakeAt);
  const asked = Number(wait?.wakeAt) - Number(wait?.startedAt);
  assert.ok(Math.abs(asked - ms) < 1_000, `it was to sleep for ${asked} ms`);
  assert.ok(late >= 0 && late <= LATE_MS, `it woke ${late} ms after its time`);
}

export const SLEEPS: readonly Scenario[] = [
  {
    name: 'a sleep of 2 seconds is a delayed message and ends on time',
    short: true,
    run: (world) => sleepFor(world, '2s', 2_000),
  },
  {
    name: 'a sleep of 20 minutes is a schedule and ends on time',
    short: true,
    run: (world) => sleepFor(world, '20m', 20 * MINUTE),
  },
];
