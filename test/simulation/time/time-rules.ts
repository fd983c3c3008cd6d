import { IN_TIME_MS } from '../../../shared/model/missed-fires.ts';
import type { Skip } from '../../../shared/model/schedule.ts';
import { fireTimes } from '../../../shared/model/schedule-spec.ts';
import type { Item } from '../../../shared/ports/table.ts';
import { HEAD, SCHEDULE } from '../../../shared/store/keys.ts';
import { decodeRun } from '../../../shared/store/run-item.ts';
import { decodeSchedule } from '../../../shared/store/schedule-item.ts';
import { type Rules, statusOf } from '../invariants/rules.ts';
import type { Actor } from '../world/actor.ts';

/** Without faults nothing waits for longer than this once its time has come. */
const SETTLED_MS = 3_600_000;

/** What the rules know of one schedule. */
interface Known {
  item: Item;
  readonly generation: string;
  /** When it was made, by its maker's clock: fires after this are its own. */
  readonly since: number;
  /** The times of runs, and the names of those that were triggered. */
  readonly fired: Set<number | string>;
  /** Whoever decides about a fire, be it that it waits, goes by its own clock; whoever makes it may have one that is behind. */
  readonly decided: Set<number>;
  /** By people: a pause does not hold them back. */
  readonly asked: Set<number>;
  readonly open: Set<string>;
}

/** I6, I7 and I8, asked at every write. */
export class TimeRules {
  readonly schedules = new Map<string, Known>();
  /** By schedule: the version that an update was acknowledged for, and whether a pause was. */
  readonly acknowledged = new Map<string, { version: number; isPaused: boolean }>();
  fires = 0;
  skips = 0;
  readonly #woken = new Set<string>();

  constructor(private readonly rules: Rules) {}

  wrote(before: Item | null, after: Item | null, writer: Actor | null): void {
    const item = after ?? before;
    if (item === null || item === undefined) return;
    if (item.sk === SCHEDULE && after !== null) this.#moved(after, writer);
    if (item.sk === HEAD && after !== null) this.#head(before, after);
    if (item.sk.includes('#skip#') && before === null && after !== null) this.#skip(after);
  }

  /** A worker goes on with a run that slept until then; once more, if it died before it said so. */
  woke(name: string, wakeAt: number, by: Actor): void {
    this.#woken.add(name);
    if (by.latest < wakeAt) this.rules.violate('I6', `${name} woke ${wakeAt - by.latest} ms early`);
  }

  get wakes(): number {
    return this.#woken.size;
  }

  #moved(item: Item, writer: Actor | null): void {
    const { scheduleId, generation, cursor, firing, buffer } = decodeSchedule(item);
    const known = this.schedules.get(scheduleId);
    if (known === undefined) {
      const fired = new Set<number | string>();
      this.schedules.set(scheduleId, {
        item,
        generation,
        since: cursor,
        fired,
        decided: new Set(),
        asked: new Set(),
        open: new Set(),
      });
      return;
    }
    known.item = item;
    for (const { at, kind } of [...(firing?.fires ?? []), ...buffer]) {
      if (kind !== 'cron') known.asked.add(at);
      if (known.decided.has(at)) continue;
      known.decided.add(at);
      if ((writer?.latest ?? at) < at)
        this.rules.violate('I6', `${scheduleId} was fired ${at - (writer?.latest ?? 0)} ms early`);
    }
  }

  #head(before: Item | null, after: Item): void {
    const isNew = before === null || before['inc'] !== after['inc'];
    const hasEnded = 'ttl' in after;
    if (!isNew && !hasEnded) return;
    const run = decodeRun(after);
    const known = run.scheduleId === null ? undefined : this.schedules.get(run.scheduleId);
    if (known === undefined || run.fireAt === null) return;
    if (hasEnded) known.open.delete(run.runId);
    if (!isNew) return;
    const { fireAt } = run;
    const { overlap, scheduleId } = decodeSchedule(known.item);
    this.fires += 1;
    const time = run.externalId?.includes(':trigger:') ? run.externalId : fireAt;
    if (known.fired.has(time)) this.rules.violate('I7', `${run.externalId} was started twice`);
    if (!known.decided.has(fireAt)) this.rules.violate('I6', `${run.externalId} was started before it was decided`);
    if (overlap !== 'allow_all' && known.open.size > 0) {
      this.rules.violate('I8', `${run.externalId} was started while ${[...known.open].join()} was open (${overlap})`);
    }
    const told = this.acknowledged.get(scheduleId);
    if (told !== undefined && Number(run.version) < told.version) {
      this.rules.violate(
        'I7',
        `${run.externalId} was started as version ${run.version} after ${told.version} was told`,
      );
    }
    if (told?.isPaused === true && !known.asked.has(fireAt))
      this.rules.violate('I7', `${run.externalId} was started after the pause was told`);
    known.fired.add(time);
    known.open.add(run.runId);
  }

  /** Only what was missed for long is not caught up, and only if enough newer ones are. */
  #skip(item: Item): void {
    const skip = JSON.parse(item['s'] as string) as Skip;
    const known = [...this.schedules.values()].find((one) => item.sk.startsWith(`fire#${one.generation}#`));
    if (known === undefined) return;
    this.skips += skip.count;
    if (skip.reason !== 'catchup') return;
    const decidedAt = Number(item['c0']);
    if (skip.to > decidedAt - IN_TIME_MS) this.rules.violate('I8', `a fire in time was skipped at ${decidedAt}`);
    const { spec, maxCatchup } = decodeSchedule(known.item);
    const times = fireTimes(spec);
    let newer = 0;
    for (let at = times.next(skip.to); at !== null && at <= decidedAt && newer < 200; at = times.next(at)) newer += 1;
    if (newer < maxCatchup) this.rules.violate('I8', `${skip.count} were skipped for ${newer} newer ones`);
  }

  /** Once all is well again: whoever was to be woken by now has been. */
  verifyHeads(heads: readonly Item[], now: number): void {
    for (const head of heads) {
      const until = Math.max(Number(head['av'] ?? 0), Number(head['lu'] ?? 0));
      if ('ttl' in head || until > now - SETTLED_MS) continue;
      this.rules.violate('I6', `${head.pk} is ${statusOf(head)} and was to go on ${now - until} ms ago`);
    }
  }

  /** Once all is well again: every time that has come was fired or is accounted for. */
  verify(untouched: ReadonlySet<string>): void {
    for (const { item, since, fired } of this.schedules.values()) {
      const schedule = decodeSchedule(item);
      if (schedule.fired !== fired.size)
        this.rules.violate('I7', `${schedule.scheduleId} counts ${schedule.fired} runs, and started ${fired.size}`);
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
