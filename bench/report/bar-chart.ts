import { type Series, text } from './line-chart.ts';

const WIDTH = 640;
const LEFT = 130;
const RIGHT = 70;
const TOP = 40;
const BAR = 22;
const GAP = 26;
const COLOURS = ['#1f6feb', '#d1572c', '#2f8f4e', '#8250a8'];

/** Groups of bars, one for each series; where figures are orders of magnitude apart, a step of the axis is a factor of ten. */
export function barChart(title: string, unit: string, series: readonly Series[], axis: 'linear' | 'log'): string {
  const groups = [...new Set(series.flatMap(({ points }) => points.map(({ x }) => x)))];
  const all = series.flatMap(({ points }) => points.map(({ y }) => y)).filter((y) => y > 0);
  const least = axis === 'log' ? 10 ** Math.floor(Math.log10(Math.min(...all))) : 0;
  const most = axis === 'log' ? 10 ** Math.ceil(Math.log10(Math.max(...all))) : Math.max(...all);
  const part = (y: number): number => (axis === 'log' ? Math.log(y / least) / Math.log(most / least) : y / most);
  const width = (y: number): number => Math.max(1, (WIDTH - LEFT - RIGHT) * part(Math.max(y, least)));
  const height = TOP + groups.length * (series.length * BAR + GAP) + 8;
  const bars = groups.flatMap((group, index) => {
    const top = TOP + index * (series.length * BAR + GAP);
    const found = series.map(({ name, points }) => ({ name, y: points.find(({ x }) => x === group)?.y }));
    return [
      text(8, top + (series.length * BAR) / 2 + 4, group, 'start'),
      ...found.flatMap(({ name, y }, place) => {
        if (y === undefined || y <= 0) return [];
        const at = top + place * BAR;
        const colour = COLOURS[place % COLOURS.length] ?? '';
        return [
          `<rect x="${LEFT}" y="${at}" width="${width(y).toFixed(1)}" height="${BAR - 4}" fill="${colour}"/>`,
          text(LEFT - 6, at + 14, name, 'end'),
          text(LEFT + width(y) + 6, at + 14, y.toLocaleString('en-US'), 'start'),
        ];
      }),
    ];
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="sans-serif" font-size="12" fill="#57606a">`,
    `<title>${title}</title>`,
    text(8, 20, `${title}, ${unit}${axis === 'log' ? ' (each step of the axis is a factor of ten)' : ''}`, 'start'),
    ...bars,
    '</svg>',
    '',
  ].join('\n');
}
