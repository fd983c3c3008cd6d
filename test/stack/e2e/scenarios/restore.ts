import assert from 'node:assert/strict';
import { greet } from '../../../../examples/hello.ts';
import { reminder } from '../../../../examples/reminder.ts';
import type { Scenario } from '../scenario.ts';

const HOUR = 3_600_000;

export const RESTORE: readonly Scenario[] = [
  {
    name: 'after a restore, with the items only and neither messages nor schedules, every run ends',
    short: true,
    async run(world) {
      const { bed } = world;
      const client = world.client();
      const worker = bed.function('worker-examples');
      const asleep = await client.start(reminder, { text: 'long', after: '20m' });
      const short = await client.start(reminder, { text: 'short', after: '10m' });
      await bed.until('two sleeps', async () => {
        const statuses = [await asleep.status(), await short.status()];
        return statuses.every((status) => status === 'SLEEPING');
      });
      worker.outage = 'no worker while the backup is made';
      const pending = await client.start(greet, { name: 'Tony' });
      const later = await client.start(greet, { name: 'Tony' }, { delay: '12m' });
      await bed.restore().finally(() => {
        worker.outage = null;
      });
      assert.equal(bed.standIns.scheduler.book.list({}).schedules.length, 0);
      for (const handle of [pending, short, later, asleep]) await world.passUntilEnd(handle, HOUR, 60_000);
    },
  },
];
