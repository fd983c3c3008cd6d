/** A stretch of time in which clocks of a zone are not changed. */
export interface ZoneStretch {
  /** Inclusive. */
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
  readonly offsetMs: number;
  /** Until the wall clock shows this, it shows times that it has shown before; 0 if clocks were not put back. */
  readonly repeatedUntil: number;
}

const SAMPLE_MS = 12 * 3_600_000;
const BLOCK_MS = 64 * 86_400_000;
/** A block knows this much of what was before it, so that it tells whether times are repeated. */
const BEFORE_MS = 2 * 86_400_000;
const MAX_BLOCKS = 2_000;

/** The rules of an IANA time zone as this Node knows them, remembered as they are asked for. */
export class TimeZone {
  static readonly #known = new Map<string, TimeZone>();
  readonly #format: Intl.DateTimeFormat;
  readonly #blocks = new Map<number, readonly ZoneStretch[]>();

  private constructor(readonly name: string) {
    this.#format = new Intl.DateTimeFormat('en-US', {
      timeZone: name,
      calendar: 'gregory',
      numberingSystem: 'latn',
      hourCycle: 'h23',
      era: 'short',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
    });
  }

  /** Throws a RangeError for a name that is none. Fixed offsets such as `+02:00` have no rules and are refused. */
  static of(name: string): TimeZone {
    const known = TimeZone.#known.get(name);
    if (known !== undefined) return known;
    const refuse = (): never => {
      throw new RangeError(`${JSON.stringify(name.slice(0, 100))} is no IANA time zone such as Europe/Berlin or UTC`);
    };
    if (!/^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/.test(name)) refuse();
    let zone: TimeZone;
    try {
      zone = new TimeZone(name);
    } catch {
      return refuse();
    }
    TimeZone.#known.set(name, zone);
    return zone;
  }

  stretchAt(ms: number): ZoneStretch {
    const index = Math.floor(ms / BLOCK_MS);
    const block = this.#blocks.get(index) ?? this.#look(index);
    return block.find((stretch) => ms < stretch.to) ?? (block.at(-1) as ZoneStretch);
  }

  #look(index: number): readonly ZoneStretch[] {
    const end = (index + 1) * BLOCK_MS;
    const stretches: ZoneStretch[] = [];
    let from = index * BLOCK_MS - BEFORE_MS;
    let offsetMs = this.#offsetAt(from);
    let repeatedUntil = 0;
    for (let at = from + SAMPLE_MS; at < end + SAMPLE_MS; at += SAMPLE_MS) {
      const sampled = Math.min(at, end);
      const next = this.#offsetAt(sampled);
      if (next === offsetMs) continue;
      const change = this.#changeBetween(sampled - SAMPLE_MS, sampled, offsetMs);
      stretches.push({ from, to: change, offsetMs, repeatedUntil });
      repeatedUntil = next < offsetMs ? change + offsetMs : 0;
      from = change;
      offsetMs = next;
    }
    stretches.push({ from, to: end, offsetMs, repeatedUntil });
    if (this.#blocks.size >= MAX_BLOCKS) this.#blocks.clear();
    this.#blocks.set(index, stretches);
    return stretches;
  }

  /** The first second with another offset than before. */
  #changeBetween(before: number, after: number, offsetMs: number): number {
    let [low, high] = [before, after];
    while (high - low > 1000) {
      const middle = Math.floor((low + high) / 2000) * 1000;
      if (this.#offsetAt(middle) === offsetMs) low = middle;
      else high = middle;
    }
    return high;
  }

  #offsetAt(ms: number): number {
    const parts = new Map(this.#format.formatToParts(ms).map(({ type, value }) => [type, value]));
    const number = (type: Intl.DateTimeFormatPartTypes): number => Number(parts.get(type));
    const year = parts.get('era') === 'BC' ? 1 - number('year') : number('year');
    const wall = Date.UTC(year, number('month') - 1, number('day'), number('hour'), number('minute'), number('second'));
    return wall - Math.floor(ms / 1000) * 1000;
  }
}
