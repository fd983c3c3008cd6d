import { createServer, type Server } from 'node:http';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Running, startKagzi } from '../cli/kagzi-process.ts';
import { PollWorld, until } from '../helpers/poll-world.ts';
import { SignedGateway } from '../helpers/signed-gateway.ts';
import { skipLoudly } from '../helpers/skip-loudly.ts';
import { findChromium, launchChromium } from './chromium.ts';

const chromium = findChromium();
if (chromium === null) skipLoudly('the page of `kagzi console`', 'no chromium on the PATH');
else {
  describe('the page of `kagzi console`', () => {
    inBrowser(chromium);
  });
}

function inBrowser(path: string): void {
  let world: PollWorld;
  let gateway: SignedGateway;
  let running: Running;
  let browser: Browser;
  let page: Page;
  let elsewhere: Server;
  let opened: URL;
  beforeAll(async () => {
    world = await PollWorld.open();
    gateway = await SignedGateway.open(world.url);
    gateway.identities.set('AKIAUSER', { secretAccessKey: 'of the user' });
    const env = { AWS_ACCESS_KEY_ID: 'AKIAUSER', AWS_SECRET_ACCESS_KEY: 'of the user', KAGZI_URL_PROD: gateway.url };
    running = startKagzi(['console', '--env', 'prod', '--region', gateway.region], { env });
    await running.printed('#token=');
    opened = new URL(/http:\S+/.exec(running.output())?.[0] ?? '');
    elsewhere = createServer((_request, response) => response.end('<p>elsewhere</p>'));
    await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
    browser = await launchChromium(path);
    page = await browser.newPage();
    page.setDefaultTimeout(20_000);
  }, 60_000);
  afterAll(async () => {
    await browser.close();
    elsewhere.close();
    running.kill('SIGTERM');
    await running.ended;
    await gateway.close();
    await world.close();
  });

  /** Nobody serves it: it is received too often without success. */
  async function bury(): Promise<string> {
    await world.post('/v1/default/runs', { workflow_type: 'order', external_id: 'dead' });
    const letters = () => world.get<{ dead_letters: readonly { run_id: string }[] }>('/dead-letters');
    await until(async () => {
      const { queue } = world.engine;
      const deliveries = await queue.receive('default', { max: 1, waitMs: 0, visibilityMs: 1_000, group: 'default' });
      for (const delivery of deliveries) await queue.release('default', delivery, 0);
      return (await letters()).dead_letters.length > 0;
    });
    return (await letters()).dead_letters[0]?.run_id ?? '';
  }

  it('shows the engine elsewhere, and hides its secret from the address', async () => {
    await page.goto(opened.href);
    await page.getByText('prod', { exact: true }).first().waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    expect(page.url()).not.toContain('token');
    expect(gateway.seen.length).toBeGreaterThan(0);
    expect(new Set(gateway.seen.map(({ accessKeyId, status }) => `${accessKeyId} ${status}`))).toEqual(
      new Set(['AKIAUSER 200']),
    );
  });

  it('sends a dead letter again, by a call that is signed', async () => {
    const runId = await bury();
    await page.goto(`${opened.origin}/console/#/default/workers`);
    const letters = page.getByRole('region', { name: 'Dead letters' });
    await letters.getByRole('link', { name: runId }).waitFor();
    await letters.getByRole('button', { name: 'Redrive' }).click();
    await letters.getByRole('heading', { name: 'None' }).waitFor();
    expect(await world.get('/dead-letters')).toMatchObject({ dead_letters: [] });
    const redrives = gateway.seen.filter(({ target }) => target.endsWith('/redrive'));
    expect(redrives).toMatchObject([{ method: 'POST', accessKeyId: 'AKIAUSER', status: 200 }]);
    const again = await world.engine.queue.receive('default', { max: 1, waitMs: 0, visibilityMs: 0, group: 'default' });
    expect(again).toHaveLength(1);
  });

  it('answers no page of another origin, even one that knows the secret', async () => {
    const { port } = elsewhere.address() as { readonly port: number };
    const other = await browser.newPage();
    await other.goto(`http://127.0.0.1:${port}/`);
    const before = gateway.seen.filter(({ method }) => method === 'POST').length;
    const target = JSON.stringify(`${opened.origin}/v1/default/runs`);
    const secret = JSON.stringify(`Bearer ${opened.hash.slice('#token='.length)}`);
    for (const init of [
      `{ headers: { authorization: ${secret} } }`,
      `{ method: 'POST', headers: { authorization: ${secret}, 'content-type': 'application/json' }, body: '{}' }`,
    ]) {
      const answer = await other.evaluate(`fetch(${target}, ${init}).then((r) => r.status, (e) => e.name)`);
      expect(answer, init).toBe('TypeError');
    }
    const blind = `fetch(${target}, { method: 'POST', mode: 'no-cors', body: '{"workflow_type":"order"}' })`;
    expect(await other.evaluate(`${blind}.then((r) => r.type)`)).toBe('opaque');
    expect(gateway.seen.filter(({ method }) => method === 'POST')).toHaveLength(before);
    await other.close();
  });

  it('asks for the secret if it was opened without, and begins where it was told', async () => {
    const context = await browser.newContext();
    const stranger = await context.newPage();
    await stranger.goto(`${opened.origin}/console/`);
    await stranger.getByLabel(/token/i).fill('guessed');
    await stranger.getByRole('button', { name: 'Go on' }).click();
    await stranger.getByText('is not, or no longer, right').waitFor();
    await stranger.goto(`${opened.href}&namespace=shop`);
    await stranger.reload();
    await stranger.getByText('Nothing has run here yet').waitFor();
    expect(await stranger.getByLabel('Namespace').inputValue()).toBe('shop');
    expect(stranger.url()).toBe(`${opened.origin}/console/#/shop`);
    await context.close();
  });
}
