import type { Fire } from '../model/fire.ts';
import { runIdFor } from '../model/ids.ts';
import { externalIdOf, type OverlapPolicy, type Schedule, type ScheduleId } from '../model/schedule.ts';
import type { Engine } from '../store/engine.ts';
import { readRun } from '../store/run-head.ts';
import { decideFires } from './fire-schedule.ts';
import { requireSchedule, scheduleNotFound } from './get-schedule.ts';
import { makeFires } from './make-fires.ts';

export interface TriggerSchedule {
  /** Sent again with it, it finds what it did. */
  readonly requestId?: string | undefined;
  /** Without it the schedule's own. */
  readonly overlap?: OverlapPolicy | undefined;
}

export interface Triggered {
  readonly outcome: 'started' | 'buffered' | 'skipped';
  readonly fire: Fire;
  /** Of a buffered one: which it will be. */
  readonly runId: string | null;
}

const AT_MOST = 100;

/** Fires once more, now, whether or not the schedule is paused. */
export async function triggerSchedule(engine: Engine, id: ScheduleId, request: TriggerSchedule): Promise<Triggered> {
  const name = request.requestId ?? engine.ids.writeId();
  const fire: Fire = { kind: 'trigger', at: engine.clock.now(), name };
  const runId = runIdFor(id.namespace, externalIdOf(id, fire));
  let schedule: Schedule | null = await requireSchedule(engine, id);
  const isSame = (other: Fire): boolean => other.kind === 'trigger' && other.name === name;
  while (schedule !== null) {
    const { firing } = schedule;
    if (firing !== null) {
      const repeated = firing.fires.find(isSame);
      schedule = await makeFires(engine, schedule);
      if (repeated !== undefined) return { outcome: 'started', fire: repeated, runId };
      continue;
    }
    const waiting = schedule.buffer.find(isSame);
    if (waiting !== undefined) return { outcome: 'buffered', fire: waiting, runId };
    // The same request may have been answered elsewhere since, and settled.
    const known = request.requestId === undefined ? null : await readRun(engine, { namespace: id.namespace, runId });
    if (known !== null) return { outcome: 'started', fire: { ...fire, at: known.fireAt ?? fire.at }, runId };
    const trigger = { fire, overlap: request.overlap ?? schedule.overlap };
    const decision = await decideFires(engine, schedule, { budget: { left: AT_MOST }, trigger });
    if (decision === null) break;
    const { plan, write } = decision;
    schedule = write.ok ? write.schedule : write.current;
    if (!write.ok) continue;
    if (schedule?.firing) await makeFires(engine, schedule);
    if (plan.fires.some(isSame)) return { outcome: 'started', fire, runId };
    return plan.buffer.some(isSame) ? { outcome: 'buffered', fire, runId } : { outcome: 'skipped', fire, runId: null };
  }
  throw scheduleNotFound(id);
}
