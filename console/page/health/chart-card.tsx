import { showCount } from '../show-number.ts';
import type { MetricsHistory } from '../wire.ts';
import { type Chart, lastOf, pointsOf, type Series, sumOf } from './charts.ts';

interface ChartCardProps {
  readonly chart: Chart;
  readonly history: MetricsHistory;
}

const WIDTH = 300;
const HEIGHT = 72;

/** A small chart, and the same in words and numbers below it. */
export const ChartCard = ({ chart, history }: ChartCardProps) => {
  const lines = chart.series.map((series) => {
    const samples = history[chart.of][series.name] ?? [];
    return { series, samples, points: pointsOf(samples, chart.of) };
  });
  const top = Math.max(1, ...lines.flatMap(({ points }) => points.map((value) => value ?? 0)));
  const shown = (samples: readonly (number | null)[]): string =>
    showCount(chart.of === 'counters' ? sumOf(samples) : lastOf(samples));
  return (
    <section class="card" aria-label={chart.title}>
      <header>
        <h2>{chart.title}</h2>
        <span class="faint">{chart.of === 'counters' ? 'in the last hour' : chart.unit}</span>
      </header>
      <div class="chart">
        <svg
          viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={`${chart.title} over the last hour, at most ${showCount(top)}`}
        >
          <line class="grid" x1="0" x2={WIDTH} y1="0.5" y2="0.5" />
          <line class="grid" x1="0" x2={WIDTH} y1={HEIGHT / 2} y2={HEIGHT / 2} />
          <line class="grid" x1="0" x2={WIDTH} y1={HEIGHT - 0.5} y2={HEIGHT - 0.5} />
          {lines.map(({ series, points }, place) =>
            chart.of === 'counters' ? (
              <Columns key={series.name} series={series} points={points} top={top} place={place} of={lines.length} />
            ) : (
              <path key={series.name} class={`line stroke-${series.tone}`} d={pathOf(points, top)} />
            ),
          )}
        </svg>
        <span class="chart-top">
          {showCount(top)} {chart.of === 'counters' ? chart.unit : ''}
        </span>
      </div>
      <dl class="chart-values">
        {lines.map(({ series, samples }) => (
          <Value key={series.name} series={series} value={shown(samples)} />
        ))}
      </dl>
    </section>
  );
};

const Value = ({ series, value }: { readonly series: Series; readonly value: string }) => (
  <div>
    <dt>
      <span class={`swatch fill-${series.tone}`} aria-hidden="true" />
      {series.label}
    </dt>
    <dd>{value}</dd>
  </div>
);

interface ColumnsProps {
  readonly series: Series;
  readonly points: readonly (number | null)[];
  readonly top: number;
  /** The how-manieth series of how many: they stand side by side. */
  readonly place: number;
  readonly of: number;
}

const Columns = ({ series, points, top, place, of }: ColumnsProps) => {
  const room = WIDTH / points.length;
  const width = (room * 0.85) / of;
  return (
    <g class={`fill-${series.tone}`}>
      {points.map((value, index) => {
        const height = ((value ?? 0) / top) * (HEIGHT - 16);
        const x = index * room + place * width;
        return height > 0 && <rect key={index} x={x} y={HEIGHT - height} width={width} height={height} />;
      })}
    </g>
  );
};

/** Where nothing was measured, the line has a gap. */
function pathOf(points: readonly (number | null)[], top: number): string {
  const step = (WIDTH - 4) / Math.max(1, points.length - 1);
  let pen = 'M';
  let path = '';
  for (const [index, value] of points.entries()) {
    if (value === null) {
      pen = 'M';
      continue;
    }
    path += `${pen}${(index * step).toFixed(1)} ${(HEIGHT - 3 - (value / top) * (HEIGHT - 16)).toFixed(1)}`;
    // A point alone is drawn as a dot.
    if (pen === 'M') path += 'h0';
    pen = 'L';
  }
  return path;
}
