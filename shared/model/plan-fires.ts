import { type Fire, fireText } from './fire.ts';
import { between, dueFires } from './missed-fires.ts';
import {
  type Backfill,
  comesAt,
  MAX_BUFFERED,
  mayStart,
  type OverlapPolicy,
  type Schedule,
  type Skip,
} from './schedule.ts';
import { fireTimes } from './schedule-spec.ts';

/** What is to happen to the fires of a schedule now. */
export interface FirePlan {
  readonly fires: readonly Fire[];
  /** Cancel the run that is open, before the fires. */
  readonly cancels: boolean;
  /** The fire that holds the schedule's place for others, if one of them does. */
  readonly holder: Fire | null;
  /** Others may come to wait for the holder. */
  readonly tells: boolean;
  readonly skips: readonly Skip[];
  readonly cursor: number;
  readonly nextFireAt: number | null;
  readonly buffer: readonly Fire[];
  readonly backfills: readonly Backfill[];
}

export interface PlanOptions {
  readonly now: number;
  /** At most so many fires. */
  readonly limit: number;
  /** Whether the run that the schedule started last is still open. */
  readonly isOpen: boolean;
  /** Of the times that each backfill looks at, those that have a run: they keep that one. */
  readonly ran?: ReadonlySet<number>;
  /** False: jitter holds back nothing. */
  readonly holdsBack?: boolean | undefined;
  readonly trigger?: { readonly fire: Fire; readonly overlap: OverlapPolicy } | undefined;
}

const BUFFERS: readonly OverlapPolicy[] = ['buffer_one', 'buffer_all'];

/** Decides about every fire whose time has come. Null if there is nothing to decide. */
export function planFires(schedule: Schedule, options: PlanOptions): FirePlan | null {
  const { now, limit, trigger } = options;
  const place = new Place(schedule, options.isOpen);
  const { spec } = schedule;
  const due = dueCron(options.holdsBack === false ? { ...schedule, spec: { ...spec, jitterMs: 0 } } : schedule, now);
  place.takeBuffered();
  if (trigger !== undefined) place.apply(trigger.fire, trigger.overlap);
  const taken = due.kept.slice(0, Math.max(0, limit - place.count));
  for (const at of taken) place.apply({ kind: 'cron', at }, schedule.overlap);
  const moved = due.skipped !== null || taken.length > 0;
  const cursor = moved ? (taken.at(-1) ?? due.skipped?.to ?? schedule.cursor) : schedule.cursor;
  // What is still to come, for its jitter, is its own to fire.
  const until = schedule.status === 'PAUSED' ? now : cursor;
  const backfills = schedule.backfills.flatMap((backfill) =>
    fillBack(schedule, backfill, place, { ...options, until }),
  );
  const plan = {
    ...place.outcome(),
    skips: [...(due.skipped === null ? [] : [{ reason: 'catchup', ...due.skipped } as const]), ...place.skips()],
    cursor,
    nextFireAt: moved ? fireTimes(schedule.spec).next(cursor) : schedule.nextFireAt,
    backfills,
  };
  const isIdle =
    !moved && plan.fires.length === 0 && plan.skips.length === 0 && plan.buffer.length === schedule.buffer.length;
  return isIdle && JSON.stringify(backfills) === JSON.stringify(schedule.backfills) ? null : plan;
}

function dueCron(schedule: Schedule, now: number) {
  const comes = comesAt(schedule);
  if (comes === null || comes > now) return { kept: [], skipped: null };
  const jittered = (fireAt: number): number => comesAt({ ...schedule, nextFireAt: fireAt }) ?? fireAt;
  const due = dueFires(
    fireTimes(schedule.spec),
    { cursor: schedule.cursor, until: now },
    { maxCatchup: schedule.maxCatchup, windowMs: schedule.catchupWindowMs, comesAt: jittered },
  );
  // The last one may come a little after its time.
  const last = due.kept.at(-1);
  const isEarly = last !== undefined && jittered(last) > now;
  return isEarly ? { ...due, kept: due.kept.slice(0, -1) } : due;
}

/** Some of the next ones may have a run already: more than fit are looked at, or each would cost a write. */
const LOOK_AHEAD = 10;

/** At how many of its times a backfill looks now, each for a read: at none while as many wait as may. */
export function lookAhead(
  { buffer }: Schedule,
  { overlap }: Backfill,
  { limit, isOpen }: Pick<PlanOptions, 'limit' | 'isOpen'>,
): number {
  if (overlap !== 'buffer_all') return limit;
  const room = MAX_BUFFERED - buffer.length + (isOpen ? 0 : 1);
  return room <= 0 ? 0 : Math.min(limit, Math.max(room, LOOK_AHEAD));
}

/** Goes on with a backfill as far as there is room; gone once it is done. */
function fillBack(
  schedule: Schedule,
  backfill: Backfill,
  place: Place,
  options: PlanOptions & { readonly until: number },
): readonly Backfill[] {
  const { limit, until, ran } = options;
  const times = fireTimes(backfill.spec ?? schedule.spec);
  const to = Math.min(backfill.to, until);
  const most = lookAhead(schedule, backfill, options);
  let { cursor } = backfill;
  for (let looked = 0; looked < most && place.count < limit; looked += 1) {
    if (backfill.overlap === 'buffer_all' && place.isFull) break;
    const [at] = between(times, cursor, to, 1);
    if (at === undefined) return [];
    if (ran?.has(at) !== true) place.apply({ kind: 'backfill', at }, backfill.overlap);
    cursor = at;
  }
  return [{ ...backfill, cursor }];
}

/** The one place that policies other than `allow_all` are about: who has it, and who waits for it. */
class Place {
  readonly #fires: Fire[] = [];
  readonly #skipped: Fire[] = [];
  /** What the fires and the buffer hold: a time is fired once, whoever asks for it. */
  readonly #planned: Set<string>;
  #buffer: readonly Fire[];
  #holder: Fire | null = null;
  #cancels = false;
  #tells = false;

  constructor(
    private readonly schedule: Schedule,
    private readonly wasOpen: boolean,
  ) {
    this.#buffer = schedule.buffer;
    this.#planned = new Set(schedule.buffer.map(fireText));
  }

  get #isTaken(): boolean {
    return this.wasOpen || this.#holder !== null;
  }

  get isFull(): boolean {
    return this.#buffer.length >= MAX_BUFFERED;
  }

  /** Decisions so far, so that no plan grows without bounds. */
  get count(): number {
    return this.#fires.length + this.#skipped.length;
  }

  takeBuffered(): void {
    const next = this.#next;
    if (next === undefined || this.#isTaken) return;
    this.#buffer = this.#buffer.filter((fire) => fire !== next);
    this.#take(next, true);
  }

  get #next(): Fire | undefined {
    return this.#buffer.find((fire) => mayStart(fire, this.schedule.status));
  }

  apply(fire: Fire, overlap: OverlapPolicy): void {
    const text = fireText(fire);
    if (this.#planned.has(text)) return;
    this.#planned.add(text);
    if (overlap === 'allow_all') this.#fires.push(fire);
    else if (overlap === 'cancel_other') this.#replace(fire);
    else if (!this.#isTaken && this.#next === undefined) this.#take(fire, BUFFERS.includes(overlap));
    else if (overlap === 'skip' || this.#buffer.length >= (overlap === 'buffer_one' ? 1 : MAX_BUFFERED)) {
      this.#skip(fire);
    } else {
      this.#buffer = [...this.#buffer, fire];
      this.#tells = true;
    }
  }

  /** Skipped by one who asked for it, it may still be fired for another. */
  #skip(fire: Fire): void {
    this.#planned.delete(fireText(fire));
    this.#skipped.push(fire);
  }

  #take(fire: Fire, tells: boolean): void {
    this.#fires.push(fire);
    this.#holder = fire;
    this.#tells ||= tells;
  }

  /** Of several at once only the last is made: the others would be cancelled at once. */
  #replace(fire: Fire): void {
    const held = this.#holder;
    if (held !== null) {
      this.#fires.splice(this.#fires.indexOf(held), 1);
      this.#skip(held);
    }
    this.#cancels ||= this.wasOpen;
    this.#take(fire, false);
  }

  skips(): readonly Skip[] {
    const times = this.#skipped.map((fire) => fire.at).sort((a, b) => a - b);
    const [from, to] = [times[0], times.at(-1)];
    if (from === undefined || to === undefined) return [];
    return [{ reason: 'overlap', count: times.length, capped: false, from, to }];
  }

  outcome() {
    return {
      fires: this.#fires,
      cancels: this.#cancels,
      holder: this.#holder,
      tells: this.#tells || this.#buffer.length > 0,
      buffer: this.#buffer,
    };
  }
}
