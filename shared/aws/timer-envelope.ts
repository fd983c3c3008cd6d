import { TIMER_KIND, type TimerMessage } from '../ports/timers.ts';

/** A message of the Scheduler has a body and nothing else: the group and the trace travel in it. */
export const sealTimer = ({ group, body, trace }: TimerMessage): string =>
  JSON.stringify({ [TIMER_KIND]: { group, body, ...(trace !== undefined && { trace }) } });

/** Null for anything that was not sealed here. */
export function openTimer(text: string): TimerMessage | null {
  if (!text.startsWith(`{"${TIMER_KIND}":{`)) return null;
  try {
    const { group, body, trace } = (JSON.parse(text) as { readonly [TIMER_KIND]: Record<string, unknown> })[TIMER_KIND];
    if (typeof group !== 'string' || typeof body !== 'string') return null;
    return { group, body, ...(typeof trace === 'string' && { trace }) };
  } catch {
    return null;
  }
}
