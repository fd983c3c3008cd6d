import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { type Running, startKagzi } from '../cli/kagzi-process.ts';
import { temporaryDirectory } from '../helpers/embedded-store.ts';
import { launchChromium } from './chromium.ts';

const FLOWS = fileURLToPath(new URL('console-flows.ts', import.meta.url));

export interface ConsoleWorld {
  readonly url: string;
  readonly browser: Browser;
  readonly page: Page;
  /** What the browser had against the page: errors, and what its policy refused. */
  readonly complaints: string[];
  call<T>(path: string, body?: unknown): Promise<T>;
  /** Answers the id of the run, when it has the status. */
  run(type: string, input: unknown, until: string): Promise<string>;
  show(hash: string): Promise<void>;
  /** As a power cut does it. */
  killEngine(): Promise<void>;
  /** Where it was before, with its data. */
  startEngine(): Promise<void>;
  close(): Promise<void>;
}

/** An engine as `kagzi dev` runs it, and a browser that looks at it. */
export async function openConsoleWorld(chromium: string, flows = FLOWS): Promise<ConsoleWorld> {
  const directory = temporaryDirectory();
  const start = async (port: string): Promise<Running> => {
    const started = startKagzi(['dev', flows, '--port', port, '--data', directory, '--unchecked']);
    await started.printed('Console ');
    return started;
  };
  let dev = await start('0');
  const url = /API +(http:\S+)/.exec(dev.output())?.[1] ?? '';
  const browser = await launchChromium(chromium);
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en-GB' });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  const call = async <T>(path: string, body?: unknown): Promise<T> => {
    const answer = await fetch(url + path, {
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
      headers: { 'content-type': 'application/json' },
    });
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
    return (await answer.json()) as T;
  };
  const killEngine = async (): Promise<void> => {
    dev.kill('SIGKILL');
    await dev.ended;
  };
  return {
    url,
    browser,
    page,
    complaints,
    call,
    async run(type, input, until) {
      const { run_id } = await call<{ run_id: string }>('/v1/default/runs', { workflow_type: type, input });
      for (;;) {
        const { status } = await call<{ status: string }>(`/v1/default/runs/${run_id}`);
        if (status === until) return run_id;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    },
    show: async (hash) => void (await page.goto(`${url}/console/${hash}`)),
    killEngine,
    async startEngine() {
      dev = await start(new URL(url).port);
    },
    async close() {
      await browser.close();
      await killEngine();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
