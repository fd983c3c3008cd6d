import { expect, it } from 'vitest';
import { PortError } from '../../shared/ports/port-error.ts';
import { sureWrite } from '../../shared/store/sure-write.ts';
import { SystemClock } from '../../shared/system/system-clock.ts';
import { SystemIds } from '../../shared/system/system-ids.ts';

it('a write that fails in one way after another is tried again soon each time, and given up in the end', async () => {
  const failures = ['unavailable', 'conflict', 'unknown'] as const;
  const pauses: number[] = [];
  const clock = Object.assign(new SystemClock(), { sleep: async (ms: number) => void pauses.push(ms) });
  const ids = Object.assign(new SystemIds(), { random: () => 1 });
  let tries = 0;
  const write = () => Promise.reject(new PortError(failures[tries++ % failures.length] ?? 'unknown', 'refused'));
  await expect(sureWrite({ clock, ids }, write)).rejects.toThrow('refused');
  expect(tries).toBe(13);
  expect(Math.max(...pauses)).toBe(1_000);
});
