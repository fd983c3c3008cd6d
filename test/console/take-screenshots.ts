import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { runCommand, tell } from '../helpers/run-command.ts';
import { findChromium } from './chromium.ts';
import { type ConsoleWorld, openConsoleWorld } from './console-world.ts';

const FLOWS = fileURLToPath(new URL('showcase-flows.ts', import.meta.url));
const FOLDER = fileURLToPath(new URL('../../docs/console/', import.meta.url));

/** Something of everything to look at; answers where to look. */
async function furnish(world: ConsoleWorld): Promise<readonly (readonly [name: string, hash: string])[]> {
  await world.run('order', { amount: 42_000 }, 'FAILED');
  const failed = await world.run('stumble', undefined, 'FAILED');
  await world.run('march', { steps: 40 }, 'COMPLETED');
  for (const nap of [1, 2]) await world.run('nap', { nap }, 'SLEEPING');
  const order = await world.run('order', { amount: 42, items: ['book', 'lamp'] }, 'COMPLETED');
  await world.call('/v1/default/schedules', {
    schedule_id: 'weekday-report',
    workflow_type: 'echo',
    input: { text: 'report' },
    cron_expr: '0 9 * * 1-5',
    timezone: 'Europe/Berlin',
    note: 'Numbers of yesterday, for the morning',
  });
  await world.call('/v1/default/schedules', {
    schedule_id: 'cleanup',
    workflow_type: 'echo',
    input: { text: 'cleanup' },
    intervals: [{ every_ms: 3_600_000 }],
    enabled: false,
    pause_reason: 'until the move is over',
  });
  for (let fire = 0; fire < 3; fire++) await world.call('/v1/default/schedules/weekday-report/trigger', {});
  await join(world, 'packer-2');
  await world.call('/v1/default/runs', { workflow_type: 'order', input: { amount: 7 }, external_id: 'order-1077' });
  return [
    ['runs', '#/default/runs'],
    ['run', `#/default/runs/${order}?step=charge`],
    ['failed-step', `#/default/runs/${failed}?step=cross-the-river`],
    ['schedules', '#/default/schedules'],
    ['schedule', '#/default/schedules/weekday-report'],
    ['workers', '#/default/workers'],
    ['health', '#/default/health'],
  ];
}

const join = (world: ConsoleWorld, name: string): Promise<unknown> =>
  world.call('/v1/default/workers', { workflow_types: ['pack'], task_queue: 'packing', name, hostname: name, pid: 1 });

await runCommand(async () => {
  const chromium = findChromium();
  if (chromium === null) throw new Error('No chromium on the PATH: there is nothing to take screenshots with.');
  mkdirSync(FOLDER, { recursive: true });
  const world = await openConsoleWorld(chromium, FLOWS);
  try {
    const places = await furnish(world);
    for (const theme of ['light', 'dark'] as const) {
      await world.page.setViewportSize({ width: 1120, height: 640 });
      await world.page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
      for (const [name, hash] of places) {
        // Silent workers are offline after five seconds.
        if (name === 'workers') await join(world, `packer-1-${theme}`);
        await world.show(hash);
        await world.page.locator('h1').waitFor();
        await world.page.waitForTimeout(1_000);
        await world.page.screenshot({ path: `${FOLDER}${name}-${theme}.png` });
        tell(`docs/console/${name}-${theme}.png`);
      }
    }
  } finally {
    await world.close();
  }
  return 0;
});
