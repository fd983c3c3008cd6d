import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { skipLoudly } from '../helpers/skip-loudly.ts';
import { auditPage } from './audit-page.ts';
import { findChromium } from './chromium.ts';
import { type ConsoleWorld, openConsoleWorld } from './console-world.ts';

const chromium = findChromium();
if (chromium === null) skipLoudly('what the console does to schedules and runs', 'no chromium on the PATH');
else {
  describe('the console in a browser, with schedules and many runs', () => {
    inBrowser(chromium);
  });
}

interface Shown {
  readonly revision: number;
  readonly [field: string]: unknown;
}

function inBrowser(path: string): void {
  let world: ConsoleWorld;
  beforeAll(async () => {
    world = await openConsoleWorld(path);
    world.page.setDefaultTimeout(20_000);
  }, 60_000);
  afterAll(() => world.close());

  const named = (role: Parameters<ConsoleWorld['page']['getByRole']>[0], name: string | RegExp) =>
    world.page.getByRole(role, { name });

  it('changes everything about when and how a schedule fires, and nothing that was not touched', async () => {
    const { page } = world;
    const start_at = '2031-01-02T03:04:05.678Z';
    await world.call('/v1/default/schedules', {
      schedule_id: 'pulse',
      workflow_type: 'echo',
      input: { text: 'x' },
      intervals: [{ every_ms: 3_600_000, offset_ms: 300_000 }, { every_ms: 5_400_000 }],
      start_at,
    });
    const edit = async () => {
      await named('button', 'Edit…').click();
      return named('dialog', 'Edit pulse');
    };
    const saved = async (revision: number): Promise<Shown> => {
      await named('button', 'Save').click();
      await page.locator('dialog').waitFor({ state: 'detached' });
      const schedule = await world.call<Shown>('/v1/default/schedules/pulse');
      expect(schedule.revision).toBe(revision);
      return schedule;
    };
    await world.show('#/default/schedules/pulse');
    const first = await world.call<Shown>('/v1/default/schedules/pulse');
    let dialog = await edit();
    await dialog.getByLabel('Note').fill('beats');
    const untouched = await saved(first.revision + 1);
    const { revision: _r, updated_at: _u, note: _n, ...same } = first;
    expect(untouched).toMatchObject({ ...same, note: 'beats' });

    dialog = await edit();
    await dialog.getByLabel('Intervals').fill('1h after 5m\nevery day');
    await dialog.getByText('“every day” is no interval').waitFor();
    expect(await named('button', 'Save').isDisabled()).toBe(true);
    await dialog.getByLabel('Intervals').fill('2h after 10m\n90s\n');
    await dialog.getByLabel('Not before').fill('');
    await dialog.getByLabel('Not after').fill('2031-05-06T07:08:09');
    await dialog.getByLabel('Jitter').fill('1.5m');
    await dialog.getByLabel('If missed no longer ago than').fill('2h');
    await dialog.getByLabel('Missed fires to catch up').fill('7');
    await dialog.getByLabel('Try failed steps again').selectOption('fixed');
    await dialog.getByLabel('Attempts in all').fill('5');
    await dialog.getByLabel('Wait', { exact: true }).fill('soon');
    await dialog.getByText('Write it as 90s').waitFor();
    await dialog.getByLabel(/^Wait/).fill('30s');
    await dialog.getByLabel('Spread waits').check();
    expect(await saved(first.revision + 2)).toMatchObject({
      intervals: [
        { every_ms: 7_200_000, offset_ms: 600_000 },
        { every_ms: 90_000, offset_ms: 0 },
      ],
      start_at: null,
      end_at: new Date('2031-05-06T07:08:09').toISOString(),
      jitter_ms: 90_000,
      catchup_window_ms: 7_200_000,
      max_catchup: 7,
      retry_policy: { kind: 'fixed', maximum_attempts: 5, interval_ms: 30_000, jitter: true },
    });
    await page.getByText('5 attempts, 30s apart').waitFor();
    await page.getByText('every 2h after 10m; every 1m30s').waitFor();
  });

  it('backfills a schedule, and says of how many times', async () => {
    const { page } = world;
    const schedule = { schedule_id: 'hourly', workflow_type: 'echo', input: { text: 'x' } };
    await world.call('/v1/default/schedules', { ...schedule, intervals: [{ every_ms: 3_600_000 }] });
    await world.show('#/default/schedules/hourly');
    await named('button', 'Backfill…').click();
    const dialog = named('dialog', 'Backfill');
    const before = world.complaints.length;
    await dialog.getByLabel('From').fill('2025-03-04T05:30');
    await dialog.getByLabel('To').fill('2025-03-04T04:30');
    await dialog.getByRole('button', { name: 'Backfill' }).click();
    await dialog.getByRole('alert').waitFor();
    // The browser notes every answer of 400.
    world.complaints.splice(before);
    await dialog.getByLabel('To').fill('2025-03-05T03:30');
    await dialog.getByRole('button', { name: 'Backfill' }).click();
    await dialog.getByText('22 times in the range: their runs are being started.').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await page.locator('.fire-run').getByText('Completed').nth(19).waitFor();
    expect(await page.locator('tbody tr', { hasText: 'Backfill' }).count()).toBe(20);
    await named('button', 'Older').click();
    await page.getByText('Page 2').waitFor();
    await page.locator('tbody tr').nth(2).waitFor({ state: 'detached' });
    expect(await page.locator('tbody tr', { hasText: 'Backfill' }).count()).toBe(2);
  });

  it('deletes a schedule after it asked; its runs stay', async () => {
    const { page, url } = world;
    await world.show('#/default/schedules/hourly');
    await named('button', 'Delete…').click();
    await named('dialog', 'Delete hourly?').getByRole('button', { name: 'Close' }).click();
    await named('button', 'Delete…').click();
    await named('dialog', 'Delete hourly?').getByRole('button', { name: 'Delete the schedule' }).click();
    await named('link', 'pulse').waitFor();
    expect(await named('link', 'hourly').count()).toBe(0);
    expect((await fetch(`${url}/v1/default/schedules/hourly`)).status).toBe(404);
    await world.show('#/default/runs?schedule=hourly');
    await page.locator('tbody tr').nth(2).waitFor();
    world.complaints.length = 0;
  });

  it('cancels all open runs that match, those on other pages too, and no other', async () => {
    const { page } = world;
    const kept = await world.run('echo', { text: 'done' }, 'COMPLETED');
    for (let nap = 0; nap < 21; nap++) {
      await world.call('/v1/default/runs', { workflow_type: 'nap', task_queue: 'nobody-serves', input: { nap } });
    }
    const other = await world.run('nap', undefined, 'SLEEPING');
    await world.show('#/default/runs?status=OPEN&queue=nobody-serves');
    await page.locator('tbody tr').nth(19).waitFor();
    expect(await page.locator('tbody tr').count()).toBe(20);
    await page.locator('tbody input[type=checkbox]').first().check();
    await named('button', 'Cancel all open runs that match…').click();
    await named('dialog', 'Cancel 21 runs?').getByRole('button', { name: 'Cancel 21 runs' }).click();
    await page.getByText('No run matches').waitFor();
    const status = async (id: string) => (await world.call<{ status: string }>(`/v1/default/runs/${id}`)).status;
    expect([await status(kept), await status(other)]).toEqual(['COMPLETED', 'SLEEPING']);
  });

  it('has nothing that axe calls serious, in the light and in the dark', async () => {
    const { browser, url } = world;
    const failed = await world.run('stumble', undefined, 'FAILED');
    await world.call('/v1/default/workers', { workflow_types: ['pack'], name: 'packer', hostname: 'h', pid: 1 });
    const views: readonly (readonly [hash: string, seen: string, button?: string])[] = [
      ['default/runs', 'tbody tr'],
      ['default/runs', 'dialog textarea', 'Start a run'],
      ['default/runs?search=nobody', 'text=No run matches'],
      [`default/runs/${failed}?step=cross-the-river`, 'text=no bridge on attempt 1'],
      [`default/runs/${failed}?tab=data`, '.run-title'],
      [`default/runs/${failed}?tab=json`, 'pre:visible'],
      ['default/schedules', 'tbody tr'],
      ['default/schedules/pulse', '.fire-times'],
      ['default/schedules/pulse', 'dialog .fire-times', 'Edit…'],
      ['default/workers', 'text=packer'],
      ['default/health', 'dd'],
    ];
    const problems: string[] = [];
    for (const colorScheme of ['light', 'dark'] as const) {
      const context = await browser.newContext({ colorScheme, reducedMotion: 'reduce', bypassCSP: true });
      const page = await context.newPage();
      page.setDefaultTimeout(10_000);
      await page.goto(`${url}/console/`);
      for (const [hash, seen, button] of views) {
        await page.goto(`${url}/console/#/${hash}`);
        if (button !== undefined) await page.getByRole('button', { name: button }).click();
        await page.locator(seen).first().waitFor();
        // Only the colours are others in the dark.
        const found = await auditPage(page, colorScheme === 'dark' ? ['color-contrast'] : []);
        problems.push(...found.map((problem) => `${colorScheme} ${hash} ${button ?? ''}: ${problem}`));
        if (button !== undefined) await page.keyboard.press('Escape');
      }
      await context.close();
    }
    expect(problems).toEqual([]);
  }, 120_000);

  it('gave the browser nothing to complain of', () => expect(world.complaints).toEqual([]));
}
