import type { SeededRandom } from '../helpers/seeded-random.ts';

/** An expression, and by itself, which wall-clock times it means. */
export interface RandomCron {
  readonly text: string;
  readonly everyHour: boolean;
  readonly fits: (wall: number) => boolean;
}

interface Field {
  readonly text: string;
  readonly values: ReadonlySet<number>;
}

const span = (from: number, to: number, step = 1): number[] => {
  const values: number[] = [];
  for (let value = from; value <= to; value += step) values.push(value);
  return values;
};

function field(random: SeededRandom, min: number, max: number): Field {
  const any = () => min + random.between(0, max - min);
  const [a, b] = [any(), any()].sort((x, y) => x - y) as [number, number];
  const step = 1 + random.between(0, max - min - 1);
  switch (random.between(0, 5)) {
    case 0:
      return { text: '*', values: new Set(span(min, max)) };
    case 1:
      return { text: `*/${step}`, values: new Set(span(min, max, step)) };
    case 2:
      return { text: `${a}-${b}`, values: new Set(span(a, b)) };
    case 3:
      return { text: `${a}-${b}/${step}`, values: new Set(span(a, b, step)) };
    case 4:
      return { text: `${a},${b}`, values: new Set([a, b]) };
    default:
      return { text: `${a}`, values: new Set([a]) };
  }
}

/** Many expressions are asked about the same time. */
let known = new Date(0);
function dateOf(wall: number): Date {
  if (known.getTime() !== wall) known = new Date(wall);
  return known;
}

/** With seconds, or of whole minutes. */
export function randomCron(random: SeededRandom, withSeconds: boolean): RandomCron {
  const second = withSeconds ? field(random, 0, 59) : { text: '0', values: new Set([0]) };
  const minute = field(random, 0, 59);
  const hour = random.between(0, 2) === 0 ? { text: '*', values: new Set(span(0, 23)) } : field(random, 0, 23);
  const day = random.between(0, 1) === 0 ? { text: '*', values: new Set(span(1, 31)) } : field(random, 1, 31);
  const month = random.between(0, 2) > 0 ? { text: '*', values: new Set(span(1, 12)) } : field(random, 1, 12);
  const weekday = random.between(0, 1) === 0 ? { text: '*', values: new Set(span(0, 6)) } : field(random, 0, 6);
  const [anyDay, anyWeekday] = [day.values.size === 31, weekday.values.size === 7];
  return {
    text: [...(withSeconds ? [second] : []), minute, hour, day, month, weekday].map(({ text }) => text).join(' '),
    everyHour: hour.values.size === 24,
    fits: (wall) => {
      const date = dateOf(wall);
      if (!minute.values.has(date.getUTCMinutes()) || !hour.values.has(date.getUTCHours())) return false;
      if (!second.values.has(date.getUTCSeconds()) || !month.values.has(date.getUTCMonth() + 1)) return false;
      const byDay = day.values.has(date.getUTCDate());
      const byWeekday = weekday.values.has(date.getUTCDay());
      return anyDay ? byWeekday : anyWeekday ? byDay : byDay || byWeekday;
    },
  };
}
