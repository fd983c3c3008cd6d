export interface Series {
  readonly name: string;
  readonly points: readonly { readonly x: string; readonly y: number }[];
}

const WIDTH = 640;
const HEIGHT = 320;
const LEFT = 70;
const BOTTOM = 50;
const TOP = 40;
const RIGHT = 150;
const COLOURS = ['#1f6feb', '#d1572c', '#2f8f4e', '#8250a8'];

export const text = (x: number, y: number, content: string, anchor = 'middle'): string =>
  `<text x="${x}" y="${y}" text-anchor="${anchor}">${content}</text>`;

/** A chart of few points, each with its own place on the x axis; y begins at 0. */
export function lineChart(title: string, unit: string, series: readonly Series[]): string {
  const names = [...new Set(series.flatMap(({ points }) => points.map(({ x }) => x)))];
  const most = Math.max(...series.flatMap(({ points }) => points.map(({ y }) => y))) * 1.1;
  const [width, height] = [WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM];
  const x = (name: string): number => LEFT + (width * (names.indexOf(name) + 0.5)) / names.length;
  const y = (value: number): number => TOP + height - (height * value) / most;
  const ticks = [0, 0.25, 0.5, 0.75, 1].map((part) => Number((part * most).toPrecision(2)));
  const lines = series.flatMap(({ name, points }, index) => {
    const colour = COLOURS[index % COLOURS.length] ?? '';
    const path = points.map((point) => `${x(point.x).toFixed(1)},${y(point.y).toFixed(1)}`);
    return [
      `<polyline points="${path.join(' ')}" fill="none" stroke="${colour}" stroke-width="2"/>`,
      ...points.map(
        (point) => `<circle cx="${x(point.x).toFixed(1)}" cy="${y(point.y).toFixed(1)}" r="3.5" fill="${colour}"/>`,
      ),
      `<rect x="${WIDTH - RIGHT + 16}" y="${TOP + 20 * index}" width="12" height="12" fill="${colour}"/>`,
      text(WIDTH - RIGHT + 34, TOP + 11 + 20 * index, name, 'start'),
    ];
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12" fill="#57606a">`,
    `<title>${title}</title>`,
    text(LEFT, 20, `${title}, ${unit}`, 'start'),
    ...ticks.map(
      (tick) => `<line x1="${LEFT}" x2="${LEFT + width}" y1="${y(tick)}" y2="${y(tick)}" stroke="#d0d7de"/>`,
    ),
    ...ticks.map((tick) => text(LEFT - 8, y(tick) + 4, tick.toLocaleString('en-US'), 'end')),
    ...names.map((name) => text(x(name), HEIGHT - BOTTOM + 20, name)),
    ...lines,
    '</svg>',
    '',
  ].join('\n');
}
