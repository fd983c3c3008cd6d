import { KagziError } from '../model/errors.ts';
import { between } from '../model/missed-fires.ts';
import type { ScheduleId } from '../model/schedule.ts';
import { fireTimes, type ScheduleSpec, specProblem } from '../model/schedule-spec.ts';
import type { Engine } from '../store/engine.ts';
import { requireSchedule } from './get-schedule.ts';

/** The times at which it fires next if it is not paused, without their jitter. */
export async function previewFires(
  engine: Engine,
  id: ScheduleId,
  ask: { readonly count: number; readonly after?: number | undefined },
): Promise<readonly number[]> {
  const { spec } = await requireSchedule(engine, id);
  return between(fireTimes(spec), ask.after ?? engine.clock.now(), Number.POSITIVE_INFINITY, ask.count);
}

/** Of a schedule that is not there yet. */
export function previewSpec(engine: Engine, spec: ScheduleSpec, count: number): readonly number[] {
  const now = engine.clock.now();
  const problem = specProblem(spec, now);
  if (problem !== null) throw new KagziError('INVALID_ARGUMENT', `This is no schedule: ${problem}.`);
  return between(fireTimes(spec), now, Number.POSITIVE_INFINITY, count);
}
