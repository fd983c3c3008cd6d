import { comesAt, type Schedule, type ScheduleId } from '../model/schedule.ts';
import { CONTROL_QUEUE } from '../ports/queue.ts';
import type { Engine } from './engine.ts';

/** A hint that a fire's time has come, or, without a time, that something may be waiting. */
export interface FireMessage extends ScheduleId {
  readonly generation: string;
  readonly at?: number;
}

const timerId = ({ namespace, scheduleId }: ScheduleId): string => `${namespace}#${scheduleId}`;

const messageOf = ({ namespace, scheduleId, generation }: Schedule, at?: number): string =>
  JSON.stringify({
    fire: { namespace, scheduleId, generation, ...(at === undefined ? {} : { at }) } satisfies FireMessage,
  });

/**
 * So that the next fire comes in time: a delayed message, or for later a timer. Only whoever moved the schedule on does
 * this, so that there is one at a time. A failure is the watchdog's to mend.
 */
export async function armSchedule(engine: Engine, schedule: Schedule): Promise<void> {
  const comes = comesAt(schedule);
  if (comes === null || schedule.nextFireAt === null) return;
  const body = messageOf(schedule, schedule.nextFireAt);
  const delayMs = Math.max(0, comes - engine.clock.now());
  await hint(engine, schedule, () =>
    delayMs > engine.queue.maxDelayMs
      ? engine.timers.set(timerId(schedule), comes - engine.timers.leadMs, { body, group: schedule.namespace })
      : send(engine, schedule, body, delayMs),
  );
}

/** Something may be waiting that need not wait for its time. */
export const nudgeSchedule = (engine: Engine, schedule: Schedule): Promise<void> =>
  hint(engine, schedule, () => send(engine, schedule, messageOf(schedule), 0));

export async function disarmSchedule(engine: Engine, id: ScheduleId): Promise<void> {
  try {
    await engine.timers.cancel(timerId(id));
  } catch {
    // It fires into the void: what it asks for has no such time any more.
  }
}

const send = (engine: Engine, { namespace }: Schedule, body: string, delayMs: number): Promise<void> =>
  engine.queue.send(CONTROL_QUEUE, [{ body, group: namespace, kind: 'fire', ...(delayMs > 0 ? { delayMs } : {}) }]);

async function hint(engine: Engine, schedule: Schedule, give: () => Promise<void>): Promise<void> {
  try {
    await give();
  } catch (error) {
    engine.telemetry.log('warn', 'a schedule could not be armed; the watchdog will fire it', {
      namespace: schedule.namespace,
      schedule_id: schedule.scheduleId,
      error: error instanceof Error ? error.message : String(error),
    });
  }
}
