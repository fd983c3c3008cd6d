import { describe, expect, it } from 'vitest';
import { Client } from '../../sdk/client/client.ts';
import { HttpApi, type HttpApiOptions } from '../../sdk/client/http-api.ts';
import { httpTransport } from '../../sdk/client/http-transport.ts';
import type { Host } from '../../sdk/host.ts';
import { ManualClock } from '../helpers/manual-clock.ts';

/** `hang`, `refuse`, or what it says. */
type Answer = unknown;

/** An engine that answers each path as told, in turn; the last answer stays. Time is moved by hand. */
function engine(answers: Readonly<Record<string, readonly Answer[]>>, options: Partial<HttpApiOptions> = {}) {
  const clock = new ManualClock();
  const host: Host = { name: 'here', pid: 1, clock, random: () => 0.5 };
  const counts = new Map<string, number>();
  const answer: typeof fetch = async (url, init) => {
    init?.signal?.throwIfAborted();
    const { pathname } = new URL(url instanceof Request ? url.url : url);
    const count = counts.get(pathname) ?? 0;
    counts.set(pathname, count + 1);
    const told = answers[pathname] ?? [{}];
    const given = told[Math.min(count, told.length - 1)];
    if (given === 'refuse') throw new TypeError('connection refused');
    if (given !== 'hang') return new Response(JSON.stringify(given));
    return new Promise((_, reject) => {
      init?.signal?.addEventListener('abort', () => reject(init.signal?.reason as Error));
    });
  };
  const api = new HttpApi({ url: 'http://engine', fetch: answer, ...options } as HttpApiOptions, host);
  return { clock, client: new Client(httpTransport(api), clock), counts };
}

/** What it ends with, and when, by the clock that is moved. */
async function ended(clock: ManualClock, call: Promise<unknown>): Promise<{ error: unknown; afterMs: number }> {
  let end: { error: unknown; afterMs: number } | null = null;
  void call.then(
    () => {
      end = { error: null, afterMs: clock.monotonic() };
    },
    (error: unknown) => {
      end = { error, afterMs: clock.monotonic() };
    },
  );
  for (let moved = 0; moved < 600_000 && end === null; moved += 100) await clock.advance(100);
  if (end === null) throw new Error('it has not ended');
  return end;
}

const INFO = { min_sdk_version: '0.0.1' };
const ID = '00000000-0000-7000-8000-000000000000';
const RUN = `/v1/default/runs/${ID}`;

describe('a call to an engine that does not answer', () => {
  it.each([
    ['at all', { '/info': ['hang'], [RUN]: ['hang'] }],
    ['any more', { '/info': [INFO], [RUN]: ['hang'] }],
    ['but refuses', { '/info': ['refuse'], [RUN]: ['refuse'] }],
  ])('%s takes no longer than its time, attempts and all', async (_how, answers) => {
    const { clock, client } = engine(answers, { timeout: '1s', attempts: 1_000 });
    const { error, afterMs } = await ended(clock, client.run(ID).get());
    expect(error).toMatchObject({ code: 'UNREACHABLE' });
    expect(afterMs).toBe(1_000);
  });

  it('is sent again while there is time, and may be answered then', async () => {
    const run = { run_id: 'r', status: 'PENDING', created_at: new Date(0).toISOString(), error: null };
    const { clock, client, counts } = engine(
      { '/info': [INFO], [RUN]: ['hang', 'hang', run] },
      { timeout: '10s', attemptTimeout: '2s' },
    );
    const { error } = await ended(clock, client.run(ID).get());
    expect(error).toBeNull();
    expect(counts.get(RUN)).toBe(3);
  });

  it('for a result ends soon after the time that was given for it', async () => {
    const { clock, client } = engine({ '/info': [INFO], [RUN]: ['hang'] }, { timeout: '5 minutes' });
    const { error, afterMs } = await ended(clock, client.run(ID).result({ timeout: 500 }));
    expect(error).toMatchObject({ name: 'ResultTimeoutError', cause: { code: 'UNREACHABLE' } });
    expect(afterMs).toBe(1_500);
  });
});
