import type { LogLevel, Telemetry } from '../shared/ports/telemetry.ts';

export type LogFields = NonNullable<Parameters<Telemetry['log']>[2]>;

export interface LoggerOptions {
  readonly level: LogLevel;
  readonly format: 'json' | 'pretty';
  readonly now: () => number;
  readonly write: (line: string) => void;
}

const RANK: Readonly<Record<LogLevel, number>> = { debug: 0, info: 1, warn: 2, error: 3 };
const RESERVED: ReadonlySet<string> = new Set(['time', 'level', 'message']);

interface Entry {
  readonly time: string;
  readonly level: LogLevel;
  readonly message: string;
  readonly fields: LogFields;
}

const formatJson = ({ fields, ...head }: Entry): string => {
  const rest = Object.entries(fields).filter(([name]) => !RESERVED.has(name));
  return JSON.stringify({ ...head, ...Object.fromEntries(rest) });
};

/** Control characters would let a message forge a line or drive the terminal. */
const onOneLine = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
const formatValue = (value: LogFields[string]): string =>
  typeof value === 'string' && /^[\w.:/-]+$/.test(value) ? value : JSON.stringify(value);

const formatPretty = ({ time, level, message, fields }: Entry): string => {
  const rest = Object.entries(fields).map(([name, value]) => ` ${name}=${formatValue(value)}`);
  return onOneLine(`${time} ${level.toUpperCase().padEnd(5)} ${message}${rest.join('')}`);
};

const FORMATS = { json: formatJson, pretty: formatPretty } as const;

/** The log half of Telemetry: one line per entry. */
export class Logger implements Pick<Telemetry, 'log'> {
  constructor(
    private readonly options: LoggerOptions,
    private readonly bound: LogFields = {},
  ) {}

  log(level: LogLevel, message: string, fields: LogFields = {}): void {
    const { format, now, write } = this.options;
    if (RANK[level] < RANK[this.options.level]) return;
    const time = new Date(now()).toISOString();
    write(`${FORMATS[format]({ time, level, message, fields: { ...this.bound, ...fields } })}\n`);
  }

  /** A logger that adds these fields to every entry: the ids of a request. */
  with(fields: LogFields): Logger {
    return new Logger(this.options, { ...this.bound, ...fields });
  }
}
