import { CONTROL_QUEUE, type Queue } from '../../shared/ports/queue.ts';
import type { Timers } from '../../shared/ports/timers.ts';

interface HeldTimer {
  readonly at: number;
  readonly body: string;
  readonly group: string;
}

/** Timers as imprecise as a managed scheduler; they fire when told to, so that time may leap over years. */
export class HeldTimers implements Timers {
  readonly leadMs = 120_000;
  readonly held = new Map<string, HeldTimer>();

  async set(id: string, at: number, message: { readonly body: string; readonly group: string }): Promise<void> {
    this.held.set(id, { at, ...message });
  }

  async cancel(id: string): Promise<void> {
    this.held.delete(id);
  }

  async fire(queue: Queue, now: number): Promise<void> {
    for (const [id, { at, body, group }] of this.held) {
      if (at > now) continue;
      this.held.delete(id);
      await queue.send(CONTROL_QUEUE, [{ body, group, kind: 'timer' }]);
    }
  }
}
