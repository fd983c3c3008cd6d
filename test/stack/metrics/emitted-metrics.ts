interface Embedded {
  readonly _aws?: {
    readonly CloudWatchMetrics: readonly {
      readonly Namespace: string;
      readonly Dimensions: readonly (readonly string[])[];
      readonly Metrics: readonly { readonly Name: string }[];
    }[];
  };
  readonly [field: string]: unknown;
}

export type Dimensions = Readonly<Record<string, string>>;

/** A metric of CloudWatch is its namespace, its name and its dimensions. */
export const metricKey = (namespace: string, name: string, dimensions: Dimensions): string =>
  JSON.stringify([namespace, name, Object.entries(dimensions).sort(([a], [b]) => (a < b ? -1 : 1))]);

/** What functions have written into their logs as embedded metrics. */
export class EmittedMetrics {
  readonly #sums = new Map<string, number>();

  get keys(): ReadonlySet<string> {
    return new Set(this.#sums.keys());
  }

  sum(key: string): number {
    return this.#sums.get(key) ?? 0;
  }

  /** A line of a log, which may be anything. */
  read(line: string): void {
    if (!line.includes('"CloudWatchMetrics"')) return;
    const written = JSON.parse(line) as Embedded;
    for (const { Namespace, Dimensions: sets, Metrics } of written._aws?.CloudWatchMetrics ?? []) {
      for (const names of sets) {
        const dimensions = Object.fromEntries(names.map((name) => [name, String(written[name])]));
        for (const { Name } of Metrics) {
          const key = metricKey(Namespace, Name, dimensions);
          const value = [written[Name]].flat().reduce<number>((sum, each) => sum + Number(each), 0);
          this.#sums.set(key, this.sum(key) + value);
        }
      }
    }
  }
}
