import { showCount } from '../show-number.ts';
import { showLength } from '../show-time.ts';
import type { MetricsHistory } from '../wire.ts';
import { type Chart, type Line, lineOf, type Series } from './charts.ts';

interface ChartCardProps {
  readonly chart: Chart;
  readonly history: MetricsHistory;
}

const WIDTH = 300;
const HEIGHT = 72;

/** A small chart, and the same in words and numbers below it. */
export const ChartCard = ({ chart, history }: ChartCardProps) => {
  const lines = chart.series.map((series) => lineOf(chart, series, history));
  const isCounted = chart.of === 'counters';
  const show = (value: number): string =>
    chart.lengthOf === undefined ? showCount(value) : showLength(value * chart.lengthOf);
  const top = Math.max(1, ...lines.flatMap(({ points }) => points.map((value) => value ?? 0)));
  return (
    <section class="card" aria-label={chart.title}>
      <header>
        <h2>{chart.title}</h2>
        <span class="faint">{isCounted ? 'in the last hour' : chart.unit}</span>
      </header>
      <div class="chart">
        <svg
          viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={`${chart.title} over the last hour, at most ${show(top)}`}
        >
          <line class="grid" x1="0" x2={WIDTH} y1="0.5" y2="0.5" />
          <line class="grid" x1="0" x2={WIDTH} y1={HEIGHT / 2} y2={HEIGHT / 2} />
          <line class="grid" x1="0" x2={WIDTH} y1={HEIGHT - 0.5} y2={HEIGHT - 0.5} />
          {lines.map(({ series, points }, place) =>
            isCounted ? (
              <Columns key={series.name} series={series} points={points} top={top} place={place} of={lines.length} />
            ) : (
              <path key={series.name} class={`line stroke-${series.tone}`} d={pathOf(points, top)} />
            ),
          )}
          <Minutes lines={lines} endAt={history.end_at} show={show} />
        </svg>
        <span class="chart-top">
          {show(top)} {isCounted ? chart.unit : ''}
        </span>
      </div>
      <p class="chart-span" aria-hidden="true">
        <span>an hour ago</span>
        <span>now</span>
      </p>
      <dl class="chart-values">
        {lines.map(({ series, value }) => (
          <Value key={series.name} series={series} value={show(value)} />
        ))}
      </dl>
    </section>
  );
};

const MINUTE_MS = 60_000;
const TIME = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });

interface MinutesProps {
  readonly lines: readonly Line[];
  readonly endAt: string;
  readonly show: (value: number) => string;
}

/** What the pointer is told of a minute. */
const Minutes = ({ lines, endAt, show }: MinutesProps) => {
  const count = lines[0]?.points.length ?? 0;
  const end = Date.parse(endAt);
  return (
    <g class="minutes">
      {Array.from({ length: count }, (_, index) => {
        const told = lines.flatMap(({ series, points }) => {
          const point = points[index] ?? null;
          return point === null ? [] : [`${show(point)} ${series.label}`];
        });
        if (told.length === 0) return null;
        const at = TIME.format(new Date(end - (count - 1 - index) * MINUTE_MS));
        return (
          <rect key={index} x={(index * WIDTH) / count} y={0} width={WIDTH / count} height={HEIGHT}>
            <title>{`${at}: ${told.join(', ')}`}</title>
          </rect>
        );
      })}
    </g>
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
