const SLOT_MS = 15 * 60_000;

/** The offset of a zone at an instant, as `Intl` writes it out. */
class ZoneOffsets {
  readonly #format: Intl.DateTimeFormat;

  constructor(readonly name: string) {
    this.#format = new Intl.DateTimeFormat('en-US', { timeZone: name, timeZoneName: 'longOffset', year: 'numeric' });
  }

  at(ms: number): number {
    const text = this.#format.formatToParts(ms).find(({ type }) => type === 'timeZoneName')?.value ?? '';
    const [, sign = '+', hours = '0', minutes = '0', seconds = '0'] =
      /GMT(?:([+-])(\d{2}):(\d{2})(?::(\d{2}))?)?/.exec(text) ?? [];
    const ms1 = (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * 1000;
    return sign === '-' ? -ms1 : ms1;
  }
}

export interface Tick {
  readonly at: number;
  /** What the wall clock shows, as if it were UTC. */
  readonly wall: number;
  /** It has shown this before. */
  readonly isRepeated: boolean;
  /** What it would have shown between the tick before and this one, if clocks had not been put forward; empty mostly. */
  readonly skipped: readonly number[];
}

/** Every tick of a zone's wall clock, from one instant to another. The hours before are looked at for what is repeated. */
export function* ticks(zone: string, from: number, to: number, stepMs: number): Generator<Tick> {
  const offsets = new ZoneOffsets(zone);
  const fine = stepMs < 60_000;
  let offset = 0;
  let latest = Number.NEGATIVE_INFINITY;
  for (let at = from - 4 * 3_600_000; at < to; at += stepMs) {
    // Clocks are changed at quarters of an hour of UTC in these years; a fine look asks each time.
    if (fine || at % SLOT_MS === 0 || latest === Number.NEGATIVE_INFINITY) offset = offsets.at(at);
    const wall = at + offset;
    const skipped: number[] = [];
    if (latest > Number.NEGATIVE_INFINITY) for (let w = latest + stepMs; w < wall; w += stepMs) skipped.push(w);
    if (at >= from) yield { at, wall, isRepeated: wall <= latest, skipped };
    latest = Math.max(latest, wall);
  }
}

/** The instants at which clocks of the zone are changed, to the quarter of an hour after. */
export function changes(zone: string, from: number, to: number): readonly number[] {
  const offsets = new ZoneOffsets(zone);
  const found: number[] = [];
  let before = offsets.at(from);
  for (let at = from + SLOT_MS; at < to; at += SLOT_MS) {
    const offset = offsets.at(at);
    if (offset !== before) found.push(at);
    before = offset;
  }
  return found;
}
