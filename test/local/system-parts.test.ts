import { afterEach, describe, expect, it, vi } from 'vitest';
import { SystemClock } from '../../shared/system/system-clock.ts';
import { SystemIds } from '../../shared/system/system-ids.ts';

afterEach(() => void vi.useRealTimers());

describe('the system clock', () => {
  it('sleeps longer than one timeout can', async () => {
    vi.useFakeTimers();
    const month = 31 * 24 * 3600 * 1000;
    let awake = false;
    const sleeping = new SystemClock().sleep(month).then(() => {
      awake = true;
    });
    await vi.advanceTimersByTimeAsync(month - 1000);
    expect(awake).toBe(false);
    await vi.advanceTimersByTimeAsync(1000);
    await sleeping;
  });

  it('stops sleeping when aborted, before or meanwhile', async () => {
    const clock = new SystemClock();
    const abort = new AbortController();
    const sleeping = clock.sleep(1e9, abort.signal);
    abort.abort();
    await expect(sleeping).rejects.toBe(abort.signal.reason);
    await expect(clock.sleep(1e9, abort.signal)).rejects.toBe(abort.signal.reason);
  });
});

describe('the system ids', () => {
  it('make version 7 UUIDs that carry the time and grow within a millisecond', () => {
    const ids = new SystemIds();
    const now = 1_800_000_000_123;
    const made = Array.from({ length: 5000 }, () => ids.uuid(now));
    for (const id of made) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(Number.parseInt((made[0] as string).replaceAll('-', '').slice(0, 12), 16)).toBe(now);
    expect([...made].sort()).toEqual(made);
    expect(new Set(made).size).toBe(made.length);
    expect(ids.uuid(now + 1) > (made.at(-1) as string)).toBe(true);
    expect(ids.uuid(now - 1) < (made[0] as string)).toBe(true);
  });

  it('make URL-safe tokens and write ids of fixed length', () => {
    const ids = new SystemIds();
    for (let i = 0; i < 100; i++) {
      expect(ids.token()).toMatch(/^[A-Za-z0-9_-]{22}$/);
      expect(ids.writeId()).toMatch(/^[A-Za-z0-9_-]{10}$/);
    }
  });
});
