/** What a cron expression says, field by field. Days and months are looked up, times of day walked through in order. */
export interface CronFields {
  readonly seconds: readonly number[];
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  readonly daysOfMonth: ReadonlySet<number>;
  readonly lastDayOfMonth: boolean;
  readonly months: ReadonlySet<number>;
  /** 0 is Sunday. */
  readonly daysOfWeek: ReadonlySet<number>;
  /** `5#2` is the second Friday; `5L`, the last one, is written as the fifth from the end: 0. */
  readonly weekdaysOfMonth: readonly { readonly day: number; readonly nth: number }[];
  readonly everyDayOfMonth: boolean;
  readonly everyDayOfWeek: boolean;
  /** Every hour: then it goes by elapsed time when clocks are changed. */
  readonly everyHour: boolean;
}

export const MAX_EXPRESSION = 256;

const NICKNAMES: ReadonlyMap<string, string> = new Map([
  ['@yearly', '0 0 0 1 1 *'],
  ['@annually', '0 0 0 1 1 *'],
  ['@monthly', '0 0 0 1 * *'],
  ['@weekly', '0 0 0 * * 0'],
  ['@daily', '0 0 0 * * *'],
  ['@midnight', '0 0 0 * * *'],
  ['@hourly', '0 0 * * * *'],
  ['@minutely', '0 * * * * *'],
  ['@secondly', '* * * * * *'],
]);

interface FieldRule {
  readonly name: string;
  readonly min: number;
  readonly max: number;
  readonly names?: readonly string[];
}

const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
const DAYS = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];
const SECOND: FieldRule = { name: 'second', min: 0, max: 59 };
const MINUTE: FieldRule = { name: 'minute', min: 0, max: 59 };
const HOUR: FieldRule = { name: 'hour', min: 0, max: 23 };
const DAY_OF_MONTH: FieldRule = { name: 'day of month', min: 1, max: 31 };
const MONTH: FieldRule = { name: 'month', min: 1, max: 12, names: MONTHS };
/** Sunday is 0 and 7. */
const DAY_OF_WEEK: FieldRule = { name: 'day of week', min: 0, max: 7, names: DAYS };

/** Five fields, or six with seconds first, or a nickname. Throws a RangeError that says what is wrong with it. */
export function parseCron(expression: string): CronFields {
  const text = expression.trim().toUpperCase();
  const refuse = (problem: string): never => {
    throw new RangeError(`${JSON.stringify(expression.slice(0, 100))} is no cron expression: ${problem}`);
  };
  if (expression.length > MAX_EXPRESSION) refuse(`it is longer than ${MAX_EXPRESSION} characters`);
  const nicknamed = NICKNAMES.get(text.toLowerCase());
  if (text.startsWith('@') && nicknamed === undefined) refuse(`known are ${[...NICKNAMES.keys()].join(', ')}`);
  const fields = (nicknamed ?? text).split(/\s+/);
  if (fields.length === 5) fields.unshift('0');
  if (fields.length !== 6) refuse('it needs five fields (minute hour day month weekday), or six with seconds first');
  const [second = '', minute = '', hour = '', dayOfMonth = '', month = '', dayOfWeek = ''] = fields;
  const read = (rule: FieldRule, field: string) => readField(rule, field, refuse);
  const days = dayOfMonth.split(',');
  const weekdays = dayOfWeek.split(',');
  const special = (part: string): boolean => /#|.L$/.test(part);
  const daysOfMonth = read(
    DAY_OF_MONTH,
    plain(days, (part) => part === 'L'),
  );
  const daysOfWeek = new Set([...read(DAY_OF_WEEK, plain(weekdays, special))].map((day) => day % 7));
  const hours = read(HOUR, hour);
  return {
    seconds: sorted(read(SECOND, second)),
    minutes: sorted(read(MINUTE, minute)),
    hours: sorted(hours),
    daysOfMonth,
    lastDayOfMonth: days.includes('L'),
    months: read(MONTH, month),
    daysOfWeek,
    weekdaysOfMonth: weekdays.filter(special).map((part) => readWeekday(part, refuse)),
    everyDayOfMonth: daysOfMonth.size === 31,
    everyDayOfWeek: daysOfWeek.size === 7,
    everyHour: hours.size === 24,
  };
}

type Refuse = (problem: string) => never;

const sorted = (values: ReadonlySet<number>): readonly number[] => [...values].sort((a, b) => a - b);

/** The parts of a list that are not special; all of it if none is. */
const plain = (parts: readonly string[], special: (part: string) => boolean): string =>
  parts.filter((part) => !special(part)).join(',');

function readField(rule: FieldRule, field: string, refuse: Refuse): Set<number> {
  const values = new Set<number>();
  for (const part of field === '' ? [] : field.split(',')) {
    const [, range = '', step] = /^([^/]+)(?:\/(\d{1,9}))?$/.exec(part) ?? refuse(`"${part}" is no ${rule.name}`);
    const stride = step === undefined ? 1 : Number(step);
    if (stride < 1) refuse(`the step of "${part}" is 0`);
    const [from, to] = readRange(rule, range, step !== undefined, refuse);
    for (let value = from; value <= to; value += stride) values.add(value);
  }
  return values;
}

function readRange(rule: FieldRule, range: string, stepped: boolean, refuse: Refuse): readonly [number, number] {
  const isDay = rule === DAY_OF_MONTH || rule === DAY_OF_WEEK;
  // Sunday twice would make the last step of a week too short.
  if (range === '*' || (range === '?' && isDay)) return [rule.min, rule === DAY_OF_WEEK ? 6 : rule.max];
  const [first = '', last] = range.split('-', 2);
  if (range.split('-').length > 2) refuse(`"${range}" is no range`);
  const from = readValue(rule, first, refuse);
  if (last === undefined) return [from, stepped ? rule.max : from];
  const end = readValue(rule, last, refuse);
  // Until Sunday, the last day of the week for most.
  const to = rule === DAY_OF_WEEK && end === 0 && from > 0 ? 7 : end;
  if (to < from) refuse(`the range "${range}" ends before it begins`);
  return [from, to];
}

function readValue(rule: FieldRule, text: string, refuse: Refuse): number {
  const named = rule.names?.indexOf(text) ?? -1;
  if (named >= 0) return rule.min + named;
  const value = /^\d{1,4}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= rule.min && value <= rule.max)) {
    refuse(`"${text.slice(0, 20)}" is no ${rule.name}: ${rule.min} to ${rule.max}`);
  }
  return value;
}

function readWeekday(part: string, refuse: Refuse): { readonly day: number; readonly nth: number } {
  const [, name = '', nth] = /^(\w+?)(?:L|#([1-5]))$/.exec(part) ?? refuse(`"${part}" is no day of week`);
  return { day: readValue(DAY_OF_WEEK, name, refuse) % 7, nth: nth === undefined ? 0 : Number(nth) };
}
