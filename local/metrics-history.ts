import type { MetricsHistory as Shown } from '../functions/api/call.ts';
import type { Clock } from '../shared/ports/clock.ts';
import type { Metric } from '../shared/ports/telemetry.ts';

export const SAMPLE_MS = 10_000;
const SAMPLES = 360;

interface Sample {
  readonly counters: Map<Metric, number>;
  gauges: Readonly<Record<string, number>> | null;
}

/** What was counted and measured in the last hour, over all labels. The last sample is still being filled. */
export class MetricsHistory {
  readonly #clock: Clock;
  readonly #metrics: readonly Metric[];
  readonly #samples = new Map<number, Sample>();
  readonly #first: number;

  constructor(clock: Clock, metrics: readonly Metric[]) {
    this.#clock = clock;
    this.#metrics = metrics;
    this.#first = this.#place();
  }

  count(metric: Metric, value = 1): void {
    if (!(value >= 0 && Number.isFinite(value))) return;
    const { counters } = this.#sample();
    counters.set(metric, (counters.get(metric) ?? 0) + value);
  }

  measure(gauges: Readonly<Record<string, number>>): void {
    this.#sample().gauges = gauges;
  }

  read(): Shown {
    const last = this.#place();
    const places = Array.from({ length: SAMPLES }, (_, index) => last - SAMPLES + 1 + index);
    const names = new Set([...this.#samples.values()].flatMap(({ gauges }) => Object.keys(gauges ?? {})));
    const counted = (metric: Metric) => (place: number) =>
      place < this.#first ? null : (this.#samples.get(place)?.counters.get(metric) ?? 0);
    const measured = (name: string) => (place: number) => this.#samples.get(place)?.gauges?.[name] ?? null;
    return {
      intervalMs: SAMPLE_MS,
      endAt: this.#clock.now(),
      counters: Object.fromEntries(this.#metrics.map((metric) => [metric, places.map(counted(metric))])),
      gauges: Object.fromEntries([...names].map((name) => [name, places.map(measured(name))])),
    };
  }

  #place(): number {
    return Math.floor(this.#clock.now() / SAMPLE_MS);
  }

  #sample(): Sample {
    const place = this.#place();
    const there = this.#samples.get(place);
    if (there !== undefined) return there;
    for (const old of this.#samples.keys()) if (old <= place - SAMPLES) this.#samples.delete(old);
    const fresh: Sample = { counters: new Map(), gauges: null };
    this.#samples.set(place, fresh);
    return fresh;
  }
}
