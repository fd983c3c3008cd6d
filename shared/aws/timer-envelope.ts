import { TIMER_KIND } from '../ports/timers.ts';

export interface TimerMessage {
  readonly body: string;
  readonly group: string;
}

/** A message of the Scheduler has a body and nothing else: the group travels in it. */
export const sealTimer = ({ group, body }: TimerMessage): string => JSON.stringify({ [TIMER_KIND]: { group, body } });

/** Null for anything that was not sealed here. */
export function openTimer(text: string): TimerMessage | null {
  if (!text.startsWith(`{"${TIMER_KIND}":{`)) return null;
  try {
    const { group, body } = (JSON.parse(text) as { readonly [TIMER_KIND]: Record<string, unknown> })[TIMER_KIND];
    return typeof group === 'string' && typeof body === 'string' ? { group, body } : null;
  } catch {
    return null;
  }
}
