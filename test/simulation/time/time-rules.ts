import { IN_TIME_MS } from '../../../shared/model/missed-fires.ts';
import type { Schedule, Skip } from '../../../shared/model/schedule.ts';
import { fireTimes } from '../../../shared/model/schedule-spec.ts';
import type { Item } from '../../../shared/ports/table.ts';
import { HEAD, SCHEDULE } from '../../../shared/store/keys.ts';
import { decodeRun } from '../../../shared/store/run-item.ts';
import { decodeSchedule } from '../../../shared/store/schedule-item.ts';
import type { Rules } from '../invariants/rules.ts';
import type { Actor } from '../world/actor.ts';

/** What the rules know of one schedule. */
interface Known {
  schedule: Schedule;
  /** When it was made, by its maker's clock: fires after this are its own. */
  readonly since: number;
  readonly fired: Set<number>;
  readonly open: Set<string>;
  skipped: number;
}

/** I6, I7 and I8, asked at every write. */
export class TimeRules {
  readonly schedules = new Map<string, Known>();
  /** By schedule: the version that an update was acknowledged for, and whether a pause was. */
  readonly acknowledged = new Map<string, { version: number; isPaused: boolean }>();
  fires = 0;
  skips = 0;
  wakes = 0;

  constructor(private readonly rules: Rules) {}

  wrote(before: Item | null, after: Item | null, writer: Actor | null): void {
    const item = after ?? before;
    if (item === null || item === undefined) return;
    if (item.sk === SCHEDULE && after !== null) this.#moved(after);
    if (item.sk === HEAD && after !== null) this.#head(before, after, writer);
    if (item.sk.includes('#skip#') && before === null && after !== null) this.#skip(after);
  }

  /** A worker goes on with a run that slept until then. */
  woke(wakeAt: number, by: Actor): void {
    this.wakes += 1;
    if (by.latest < wakeAt) this.rules.violate('I6', `woke ${wakeAt - by.latest} ms early`);
  }

  #moved(item: Item): void {
    const schedule = decodeSchedule(item);
    const known = this.schedules.get(schedule.scheduleId);
    if (known !== undefined) known.schedule = schedule;
    else {
      const fresh = { schedule, since: schedule.cursor, fired: new Set<number>(), open: new Set<string>(), skipped: 0 };
      this.schedules.set(schedule.scheduleId, fresh);
    }
  }

  #head(before: Item | null, after: Item, writer: Actor | null): void {
    const run = decodeRun(after);
    const known = run.scheduleId === null ? undefined : this.schedules.get(run.scheduleId);
    if (known === undefined || run.fireAt === null) return;
    const isNew = before === null || before['inc'] !== after['inc'];
    if ('ttl' in after) known.open.delete(run.runId);
    if (!isNew) return;
    const { fireAt } = run;
    const { overlap } = known.schedule;
    this.fires += 1;
    if (known.fired.has(fireAt)) this.rules.violate('I7', `${run.externalId} was started twice`);
    if ((writer?.latest ?? fireAt) < fireAt) this.rules.violate('I6', `${run.externalId} was started before its time`);
    if (overlap !== 'allow_all' && known.open.size > 0) {
      this.rules.violate('I8', `${run.externalId} was started while ${[...known.open].join()} was open (${overlap})`);
    }
    const told = this.acknowledged.get(known.schedule.scheduleId);
    if (told !== undefined && Number(run.version) < told.version) {
      this.rules.violate(
        'I7',
        `${run.externalId} was started as version ${run.version} after ${told.version} was told`,
      );
    }
    if (told?.isPaused === true) this.rules.violate('I7', `${run.externalId} was started after the pause was told`);
    known.fired.add(fireAt);
    known.open.add(run.runId);
  }

  /** Only what was missed for long is not caught up, and only if enough newer ones are. */
  #skip(item: Item): void {
    const skip = JSON.parse(item['s'] as string) as Skip;
    const known = [...this.schedules.values()].find((one) => item.sk.startsWith(`fire#${one.schedule.generation}#`));
    if (known === undefined) return;
    this.skips += skip.count;
    if (skip.reason !== 'catchup') return;
    const decidedAt = Number(item['c0']);
    if (skip.to > decidedAt - IN_TIME_MS) this.rules.violate('I8', `a fire in time was skipped at ${decidedAt}`);
    const times = fireTimes(known.schedule.spec);
    let newer = 0;
    for (let at = times.next(skip.to); at !== null && at <= decidedAt && newer < 200; at = times.next(at)) newer += 1;
    if (newer < known.schedule.maxCatchup)
      this.rules.violate('I8', `${skip.count} were skipped for ${newer} newer ones`);
  }

  /** Once all is well again: every time that has come was fired or is accounted for. */
  verify(untouched: ReadonlySet<string>): void {
    for (const { schedule, since, fired } of this.schedules.values()) {
      if (!untouched.has(schedule.scheduleId)) continue;
      const times = fireTimes(schedule.spec);
      let expected = 0;
      for (let at = times.next(since); at !== null && at <= schedule.cursor; at = times.next(at)) expected += 1;
      const { catchup, overlap } = schedule.skipped;
      const accounted = fired.size + catchup + overlap + schedule.buffer.length + (schedule.firing?.fires.length ?? 0);
      if (accounted !== expected) {
        this.rules.violate(
          'I7',
          `${schedule.scheduleId} (${schedule.overlap}): ${fired.size} fired, ${catchup} and ${overlap} skipped, ${schedule.buffer.length} waiting, of ${expected}`,
        );
      }
    }
  }
}
