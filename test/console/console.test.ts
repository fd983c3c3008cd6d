import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../helpers/embedded-store.ts';
import { skipLoudly } from '../helpers/skip-loudly.ts';
import { findChromium } from './chromium.ts';
import { type ConsoleWorld, openConsoleWorld } from './console-world.ts';

const chromium = findChromium();
if (chromium === null) skipLoudly('the console in a browser', 'no chromium on the PATH');
else {
  describe('the console in a browser', () => {
    inBrowser(chromium);
  });
}

function inBrowser(path: string): void {
  let world: ConsoleWorld;
  let marched: Promise<string>;
  beforeAll(async () => {
    world = await openConsoleWorld(path);
    world.page.setDefaultTimeout(20_000);
  }, 60_000);
  afterAll(() => world.close());

  const named = (role: Parameters<ConsoleWorld['page']['getByRole']>[0], name: string | RegExp) =>
    world.page.getByRole(role, { name });

  it('says on the first visit what can be started, starts it, and shows live how it ends', async () => {
    const { page, url } = world;
    await page.goto(url);
    expect(page.url()).toBe(`${url}/console/`);
    await page.getByText('Nothing has run here yet').waitFor();
    await named('button', 'Start brew').click();
    const input = page.getByLabel('Input, as JSON');
    expect(JSON.parse(await input.inputValue())).toEqual({ kettle: '/dev/null' });
    const kettle = join(temporaryDirectory(), 'on');
    await input.fill(JSON.stringify({ kettle }));
    await named('button', /^Start$/).click();
    await named('heading', 'brew').waitFor();
    await page.locator('.run-title').getByText('Running').waitFor();
    await named('button', /^step boil .*, running$/).waitFor();
    await page.getByText('Cost so far').waitFor();
    writeFileSync(kettle, '');
    await page.locator('.run-title').getByText('Completed').waitFor();
    await named('button', /^step boil .*, completed$/).waitFor();
    await page.getByText(/^\$0\.\d+ · \d+ write units$/).waitFor();
    await named('link', 'Runs').first().click();
    await named('link', 'brew').waitFor();
    marched = world.run('march', { steps: 1_000 }, 'COMPLETED');
    // Told where it is waited for.
    marched.catch(() => undefined);
  });

  it('shows a failed step with its attempts, its error and the stack, and the run with its reason', async () => {
    const { page } = world;
    await world.show(`#/default/runs/${await world.run('stumble', undefined, 'FAILED')}`);
    await page.locator('.failure').getByText('no bridge on attempt 2').first().waitFor();
    await named('button', /^step cross-the-river ×2 .*, failed$/).click();
    const panel = named('complementary', 'Step cross-the-river');
    await panel.getByText('no bridge on attempt 1').waitFor();
    await panel.getByText('Stack', { exact: true }).first().click();
    await panel
      .getByText(/TypeError: no bridge on attempt 2\s+at .*console-flows/)
      .first()
      .waitFor();
    expect(await page.locator('.timeline-bar.bar-failed').count()).toBe(2);
    expect(await page.locator('.timeline-bar.bar-wait').count()).toBe(1);
  });

  it('cancels a sleeping run after it asked', async () => {
    const { page } = world;
    const runId = await world.run('nap', undefined, 'SLEEPING');
    await world.show(`#/default/runs/${runId}`);
    await page.locator('.run-title').getByText('Sleeping').waitFor();
    await named('button', /^sleep night/).waitFor();
    await named('button', 'Cancel the run').click();
    const dialog = named('dialog', 'Cancel 1 run?');
    await dialog.getByLabel(/^Reason/).fill('not needed');
    await dialog.getByRole('button', { name: 'Cancel 1 run' }).click();
    await page.locator('.run-title').getByText('Cancelled').waitFor();
    const run = await world.call<{ status: string; cancel_reason: string }>(`/v1/default/runs/${runId}`);
    expect(run).toMatchObject({ status: 'CANCELLED', cancel_reason: 'not needed' });
  });

  it('cancels many at once, and says how many before', async () => {
    const { page } = world;
    for (const n of [1, 2, 3]) await world.run('nap', { n }, 'SLEEPING');
    await world.show('#/default/runs?status=OPEN&type=nap');
    await page.locator('tbody tr').nth(2).waitFor();
    expect(await page.locator('tbody tr').count()).toBe(3);
    await page.getByLabel('Select all open runs on this page').check();
    await named('button', 'Cancel 3 runs').click();
    await named('dialog', 'Cancel 3 runs?').getByRole('button', { name: 'Cancel 3 runs' }).click();
    await page.getByText('No run matches').waitFor();
  });

  it('finds a run by its id and by its external id, from the keyboard', async () => {
    const { page } = world;
    const { run_id } = await world.call<{ run_id: string }>('/v1/default/runs', {
      workflow_type: 'echo',
      external_id: 'order-77',
      input: { text: 'x' },
    });
    for (const wanted of ['order-77', run_id]) {
      await world.show('#/default/runs');
      await page.locator('tbody tr').nth(1).waitFor();
      await named('heading', 'Runs').click();
      await page.keyboard.press('/');
      await page.keyboard.type(wanted);
      await page.locator('tbody tr').nth(1).waitFor({ state: 'detached' });
      expect(await page.locator('tbody tr').textContent()).toContain('order-77');
    }
    await world.show('#/default/runs?search=nobody');
    await page.getByText('No run matches').waitFor();
  });

  it('shows a payload as the text it is', async () => {
    const { page } = world;
    const attack = '<script>document.title = "owned"</script><img src=x onerror=alert(1)>';
    // Would be read as exe.fdp if it were shown as it is.
    const text = `${attack} javascript:alert(1) \u202efdp.exe`;
    const input = JSON.parse(`{ "__proto__": { "owned": true }, "lone": "\\ud800", "text": ${JSON.stringify(text)} }`);
    const external_id = text.slice(0, 200);
    const { run_id } = await world.call<{ run_id: string }>('/v1/default/runs', {
      workflow_type: 'echo',
      external_id,
      input,
    });
    await world.show(`#/default/runs/${run_id}?tab=data`);
    await page.locator('.run-title').getByText('Completed').waitFor();
    await page.locator('.run-id').getByText(external_id.replace('\u202e', '\\u202e')).waitFor();
    for (const label of ['Input', 'Output']) {
      const shown = (await page.locator(`section[aria-label="${label}"] pre`).textContent()) ?? '';
      expect(shown).toContain('\\u202e');
      expect(JSON.stringify(JSON.parse(shown))).toBe(JSON.stringify(input));
    }
    await world.show(`#/default/runs?search=${encodeURIComponent(external_id)}`);
    await page.locator('tbody tr').getByText('onerror').waitFor();
    expect(await page.locator('#app script, #app img[src="x"], [href^="javascript"]').count()).toBe(0);
    expect(await page.title()).not.toBe('owned');
    expect(await page.evaluate('({}).owned')).toBeUndefined();
  });

  it('draws a thousand steps to scale, with only those in sight in the document', async () => {
    const { page } = world;
    const runId = await marched;
    const since = performance.now();
    await world.show(`#/default/runs/${runId}`);
    await page.getByText('1,000 steps', { exact: true }).waitFor();
    await named('button', /^step step-1 /).waitFor();
    const shownMs = performance.now() - since;
    expect(await page.locator('.timeline-row').count()).toBeLessThan(60);
    await named('button', /^step step-1 /).focus();
    for (let row = 1; row <= 40; row++) await page.keyboard.press('ArrowDown');
    await page.locator('.timeline-row.selected:focus').getByText('step-40', { exact: true }).waitFor();
    await named('button', 'Close the step').click();
    const scrolled = await page.locator('.timeline-frame').evaluate(scrollThrough);
    await named('button', /^step step-1000 /).click();
    await named('complementary', 'Step step-1000').getByText('1000', { exact: true }).waitFor();
    await page.getByPlaceholder('Find a step').fill('step-77');
    await page.getByText('11 steps', { exact: true }).waitFor();
    console.log(
      `1,000 steps: shown after ${Math.round(shownMs)} ms; ${scrolled.frames} frames of scrolling, the slowest ${Math.round(scrolled.slowestMs)} ms`,
    );
  });

  it('creates a schedule with a preview of its fires, triggers it, pauses it and changes it', async () => {
    const { page } = world;
    await world.show('#/default/schedules');
    await page.getByText('No schedules yet').waitFor();
    await named('button', 'Create a schedule').click();
    const dialog = named('dialog', 'Create a schedule');
    await dialog.getByLabel('Name').fill('weekdays');
    await dialog.getByLabel('Workflow type').fill('echo');
    await dialog.getByLabel('Input, as JSON').fill('{"text": "by the clock"}');
    const cron = dialog.getByLabel('Cron expressions');
    const before = world.complaints.length;
    await cron.fill('0 9 * * 9');
    const preview = dialog.getByRole('region', { name: 'Next fires' });
    await preview.getByText('This is no schedule').waitFor();
    // The browser notes every answer of 400.
    world.complaints.splice(before);
    await cron.fill('0 9 * * 1-5');
    await dialog.getByLabel('Time zone').fill('America/New_York');
    await preview
      .getByText(/^(Mon|Tue|Wed|Thu|Fri).*, 09:00:00 (EST|EDT|GMT-[45])$/)
      .nth(9)
      .waitFor();
    await dialog.getByRole('button', { name: 'Create' }).click();
    await named('heading', 'weekdays').waitFor();
    await named('button', 'Trigger now').click();
    await page.locator('.fire-run').getByText('Completed').waitFor();
    await named('button', 'Pause').click();
    await page.locator('.run-title').getByText('Paused').waitFor();
    await named('button', 'Edit…').click();
    await page.getByLabel('Note').fill('only for a while');
    await named('button', 'Save').click();
    await page.getByText('only for a while').waitFor();
    const schedule = await world.call('/v1/default/schedules/weekdays');
    expect(schedule).toMatchObject({
      status: 'PAUSED',
      fired: 1,
      cron_expr: ['0 9 * * 1-5'],
      note: 'only for a while',
    });
    await page.locator('.fire-run').click();
    await named('link', 'weekdays').waitFor();
  });

  it('shows queues, workers and the numbers of the last hour', async () => {
    const { page } = world;
    await world.call('/v1/default/workers', { workflow_types: ['pack'], name: 'packer', hostname: 'h', pid: 1 });
    await world.show('#/default/workers');
    await named('cell', /packer/).waitFor();
    await page.locator('tr', { hasText: 'packer' }).getByText('Online').waitFor();
    await named('cell', 'default').first().waitFor();
    await world.show('#/default/health');
    const runs = named('region', 'Runs');
    await runs.getByText('started', { exact: true }).waitFor();
    expect(Number(await runs.locator('dd').first().textContent())).toBeGreaterThan(0);
  });

  it('says what to do when the engine was killed, and goes on when it is back', async () => {
    const { page } = world;
    await world.show('#/default/runs');
    await page.locator('tbody tr').first().waitFor();
    const before = world.complaints.length;
    await world.killEngine();
    await page.getByRole('alert').getByText('The engine does not answer.').waitFor();
    await page.getByText('Not connected').waitFor();
    await page.locator('tbody tr').first().waitFor();
    await world.startEngine();
    await named('button', 'Try now').click();
    await page.getByRole('alert').waitFor({ state: 'detached' });
    world.complaints.splice(before);
  });

  it('takes no selection along to another namespace, listed or not', async () => {
    const { page } = world;
    await world.run('nap', undefined, 'SLEEPING');
    await world.show('#/default/runs?type=nap&status=OPEN');
    await page.getByLabel('Select all open runs on this page').check();
    await page.getByText('1 run selected').waitFor();
    await page.getByLabel('Namespace').selectOption('Another…');
    await named('dialog', 'Go to a namespace').getByRole('textbox').fill('not-seen-yet');
    await named('button', 'Go').click();
    await page.getByText('Nothing has run here yet').waitFor();
    expect(page.url()).toContain('#/not-seen-yet/runs');
    expect(await page.getByText('1 run selected').count()).toBe(0);
  });

  it('looks ever less often where nothing changes, and not at all while it is hidden', async () => {
    const { browser, url } = world;
    const page = await browser.newPage();
    await page.clock.install();
    let looks = 0;
    page.on('request', (request) => {
      if (request.url().includes('/v1/quiet/runs')) looks++;
    });
    await page.goto(`${url}/console/#/quiet/runs`);
    await page.getByText('Nothing has run here yet').waitFor();
    const pass = async (seconds: number): Promise<number> => {
      const before = looks;
      for (let second = 0; second < seconds; second += 2) {
        await page.clock.runFor(2_000);
        await page.waitForTimeout(20);
      }
      return looks - before;
    };
    const setHidden = (hidden: boolean) =>
      page.evaluate(`
        Object.defineProperty(document, 'hidden', { value: ${hidden}, configurable: true });
        document.dispatchEvent(new Event('visibilitychange'))`);
    // 1 s, 1.5 s, 2.3 s … 10 s.
    const inFirstMinute = await pass(60);
    expect(inFirstMinute).toBeGreaterThan(2);
    expect(inFirstMinute).toBeLessThan(13);
    await setHidden(true);
    expect(await pass(30)).toBe(0);
    const whileHidden = looks;
    await setHidden(false);
    await expect.poll(() => looks).toBeGreaterThan(whileHidden);
    await page.close();
  });

  it('fits a phone, in the dark, without scrolling sideways, whatever it shows', async () => {
    const { browser, url, complaints } = world;
    const { run_id: long } = await world.call<{ run_id: string }>('/v1/default/runs', {
      workflow_type: `long.${'w'.repeat(123)}`,
      task_queue: 'q'.repeat(64),
      external_id: 'x'.repeat(256),
    });
    const phone = await browser.newContext({ viewport: { width: 375, height: 720 }, colorScheme: 'dark' });
    const page = await phone.newPage();
    page.on('pageerror', (error) => complaints.push(error.message));
    // As where the server is reached over the network without TLS.
    await page.addInitScript(`
      Object.defineProperty(window, 'isSecureContext', { value: false });
      Object.defineProperty(crypto, 'randomUUID', { value: undefined });
      Object.defineProperty(navigator, 'clipboard', { value: undefined })`);
    for (const view of ['runs', 'schedules', 'workers', 'health', `runs/${long}`]) {
      await page.goto(`${url}/console/#/default/${view}`);
      await page.getByText('Live', { exact: true }).waitFor();
      expect(await page.locator('html').evaluate((root) => root.scrollWidth), view).toBeLessThanOrEqual(375);
    }
    await page.getByText('Nobody serves it now').waitFor();
    expect(await page.locator('body').evaluate(backgroundOf)).toBe('rgb(15, 18, 23)');
    await page.goto(`${url}/console/#/default/runs?type=nap`);
    await page.locator('tbody tr').first().getByText('ago').waitFor();
    await page.getByRole('button', { name: 'Start a run' }).click();
    const dialog = page.getByRole('dialog', { name: 'Start a run' });
    await dialog.getByLabel('Workflow type').fill('echo');
    await dialog.getByRole('button', { name: 'Start', exact: true }).click();
    await page.locator('.run-title').getByText('Completed').waitFor();
    await phone.close();
  });

  it('gave the browser nothing to complain of', () => expect(world.complaints).toEqual([]));
}

/** As far as the tests look into a page; the types of the browser are not for this side. */
interface PageElement {
  scrollTop: number;
  readonly clientHeight: number;
  readonly scrollHeight: number;
  readonly ownerDocument: {
    readonly defaultView: {
      requestAnimationFrame(next: (at: number) => void): void;
      getComputedStyle(element: PageElement): { readonly backgroundColor: string };
    };
  };
}

const backgroundOf = (element: PageElement): string =>
  element.ownerDocument.defaultView.getComputedStyle(element).backgroundColor;

/** From top to end, a frame at a time. */
async function scrollThrough(frame: PageElement): Promise<{ readonly frames: number; readonly slowestMs: number }> {
  const { defaultView: view } = frame.ownerDocument;
  const next = (): Promise<number> => new Promise((resolve) => view.requestAnimationFrame(resolve));
  let slowestMs = 0;
  let frames = 0;
  let last = await next();
  while (frame.scrollTop + frame.clientHeight < frame.scrollHeight - 1) {
    frame.scrollTop += 1_500;
    const now = await next();
    slowestMs = Math.max(slowestMs, now - last);
    last = now;
    frames++;
  }
  await next();
  return { frames, slowestMs };
}
