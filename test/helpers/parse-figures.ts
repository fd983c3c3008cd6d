import { parseArgs } from 'node:util';

/** Says how the command is meant. */
export class UsageError extends Error {}

const MAX = 1_000_000_000;

export interface ParsedFigures<Name extends string> {
  readonly figures: Readonly<Record<Name, number>>;
  readonly json: boolean;
}

/** Of a command line like `--kills 10 --seed 3 --json`: whole numbers by name, with what counts where none is given. */
export function parseFigures<Name extends string>(
  command: string,
  args: readonly string[],
  defaults: Readonly<Record<Name, number>>,
): ParsedFigures<Name> {
  const names = Object.keys(defaults) as Name[];
  const usage = [
    `npm run ${command} -- [--json] ${names.map((name) => `[--${name} N]`).join(' ')}`,
    `Left out, they are: ${names.map((name) => `${name} ${defaults[name]}`).join(', ')}.`,
  ].join('\n');
  let values: Readonly<Record<string, string | boolean | undefined>>;
  try {
    const options = {
      ...Object.fromEntries(names.map((name) => [name, { type: 'string' as const }])),
      json: { type: 'boolean' as const },
    };
    ({ values } = parseArgs({ args: [...args], options }));
  } catch (error) {
    throw new UsageError(`${(error as Error).message}\n${usage}`);
  }
  const figures = names.map((name) => {
    const text = values[name];
    if (text === undefined) return [name, defaults[name]] as const;
    const number = typeof text === 'string' && /^\d+$/.test(text) ? Number(text) : Number.NaN;
    if (number <= MAX) return [name, number] as const;
    throw new UsageError(`--${name} ${String(text)}: give a whole number from 0 to ${MAX}\n${usage}`);
  });
  return { figures: Object.fromEntries(figures) as Record<Name, number>, json: values['json'] === true };
}
