import assert from 'node:assert/strict';
import type { E2eWorld } from '../e2e-world.ts';
import { large } from '../large-payload.ts';
import type { Scenario } from '../scenario.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** Late by this much at most: a receive, a start and the steps in which the clock is moved. */
const LATE_MS = 10_000;

interface Fired {
  readonly run_id: string;
  readonly external_id: string;
  readonly fire_at: string;
  readonly created_at: string;
}
interface Shown {
  readonly next_fire_at: string;
  readonly fired: number;
  readonly skipped: { readonly catchup: number };
}

async function create(world: E2eWorld, id: string, cron: string, more: object = {}): Promise<Shown> {
  const greet = { workflow_type: 'greet', task_queue: 'default', input: { name: 'Cron' } };
  const body = { schedule_id: id, cron_expr: cron, ...greet, ...more };
  await world.api().call({ path: '/schedules', body });
  return show(world, id);
}

const show = (world: E2eWorld, id: string): Promise<Shown> => world.api().call({ path: `/schedules/${id}` });

const remove = (world: E2eWorld, id: string): Promise<unknown> =>
  world.api().call({ method: 'DELETE', path: `/schedules/${id}` });

const runsOf = async (world: E2eWorld, id: string): Promise<readonly Fired[]> =>
  (await world.api().call<{ runs: readonly Fired[] }>({ path: '/runs', query: { schedule_id: id } })).runs;

/** Every hour, at the minute that comes in so many minutes. */
const hourlyIn = (minutes: number): string => `${new Date(Date.now() + minutes * MINUTE).getUTCMinutes()} * * * *`;

export const SCHEDULES: readonly Scenario[] = [
  {
    name: 'a schedule fires each minute, once for each time, and stops when it is deleted',
    short: false,
    async run(world) {
      await create(world, 'each-minute', '* * * * *');
      await world.passUntil(
        'three fires',
        async () => (await runsOf(world, 'each-minute')).length >= 3,
        5 * MINUTE,
        5_000,
      );
      await remove(world, 'each-minute');
      await world.bed.pass(10_000, 5_000);
      const fired = (await runsOf(world, 'each-minute')).map(({ external_id }) => external_id);
      assert.equal(new Set(fired).size, fired.length);
      await world.bed.pass(3 * MINUTE, 30_000);
      assert.equal((await runsOf(world, 'each-minute')).length, fired.length, 'nothing fires after it was deleted');
    },
  },
  {
    name: 'an hourly schedule is a schedule of the Scheduler, is moved with it, fires on time and is armed again',
    short: false,
    async run(world) {
      const { book } = world.bed.standIns.scheduler;
      const armed = (): number => book.list({}).schedules.length;
      const before = armed();
      await create(world, 'hourly', hourlyIn(50), { input: { name: large() } });
      assert.equal(armed(), before + 1);
      await world.api().call({ method: 'PATCH', path: '/schedules/hourly', body: { cron_expr: hourlyIn(30) } });
      assert.equal(armed(), before + 1, 'moved, not made twice');
      const { next_fire_at } = await show(world, 'hourly');
      await world.bed.pass(Date.parse(next_fire_at) - Date.now() - 10_000, MINUTE);
      assert.equal((await runsOf(world, 'hourly')).length, 0, 'it does not fire early');
      await world.passUntil('the fire', async () => (await runsOf(world, 'hourly')).length > 0, 2 * MINUTE, 1_000);
      const [run] = await runsOf(world, 'hourly');
      assert.equal(run?.external_id, `hourly:${new Date(next_fire_at).toISOString().replace('.000Z', 'Z')}`);
      const late = Date.parse(run?.created_at ?? '') - Date.parse(next_fire_at);
      assert.ok(late >= 0 && late <= LATE_MS, `it fired ${late} ms after its time`);
      await world.bed.until('the next timer', () => armed() === before + 1);
      await remove(world, 'hourly');
      assert.equal(armed(), before);
      await world.untilCounted('schedules_fired', 'schedule_lag_ms');
    },
  },
  {
    name: 'a fire that wake does not make is made by the watchdog, which arms the next one',
    short: false,
    async run(world) {
      const { bed } = world;
      const { book } = bed.standIns.scheduler;
      const before = book.list({}).schedules.length;
      const wake = bed.function('wake');
      await create(world, 'unwoken', hourlyIn(40), { input: { name: large() } });
      const { next_fire_at } = await show(world, 'unwoken');
      wake.outage = 'away';
      try {
        await bed.pass(Date.parse(next_fire_at) - Date.now() - 10_000, MINUTE);
        await world.passUntil('the fire', async () => (await runsOf(world, 'unwoken')).length > 0, 5 * MINUTE, 1_000);
        await bed.until('the next timer', () => book.list({}).schedules.length === before + 1);
      } finally {
        wake.outage = null;
      }
      const [run] = await runsOf(world, 'unwoken');
      assert.equal(run?.fire_at, next_fire_at);
      await remove(world, 'unwoken');
      await world.outputOf(world.client().run(run?.run_id ?? ''));
    },
  },
  {
    name: 'what a schedule misses in an outage, and may not catch up, is skipped and counted',
    short: false,
    async run(world) {
      await create(world, 'missed', '* * * * *', { max_catchup: 0 });
      await world.bed.pass(HOUR, HOUR);
      await world.bed.until('the skip', async () => (await show(world, 'missed')).skipped.catchup > 0);
      const { skipped, fired } = await show(world, 'missed');
      assert.ok(skipped.catchup >= 50, `${skipped.catchup} were skipped`);
      assert.ok(fired <= 4, `${fired} were made, though none may be caught up`);
      await remove(world, 'missed');
      await world.bed.pass(2 * MINUTE, 5_000);
      await world.untilCounted('schedule_fires_skipped');
    },
  },
];
