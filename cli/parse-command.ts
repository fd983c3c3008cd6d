import { parseArgs } from 'node:util';
import { suggest } from '../sdk/suggest.ts';
import { type Command, type GLOBAL_OPTIONS, globalOptionsOf, type Options, type Values } from './command.ts';
import { CliError } from './exit-codes.ts';

export interface Parsed {
  readonly args: readonly string[];
  readonly values: Values<Options> & Values<typeof GLOBAL_OPTIONS>;
}

export const usageOf = ({ name, args }: Command): string => ['kagzi', name, ...args].join(' ');

/** Throws a CliError that says what is wrong with the line and how it should look. */
export function parseCommand(command: Command, argv: readonly string[]): Parsed {
  const options: Options = { ...command.options, ...globalOptionsOf(command) };
  const { values, positionals } = readArgs(command, argv, options);
  const needed = command.args.filter((arg) => arg.startsWith('<'));
  if (values['help'] !== true) {
    const missing = needed[positionals.length];
    if (missing !== undefined) throw wrong(command, `${missing} is missing.`);
    const extra = positionals[command.args.length];
    if (extra !== undefined)
      throw wrong(command, `${JSON.stringify(extra)} is one argument too many: a value with spaces needs quotes.`);
  }
  return { args: positionals, values: values as Parsed['values'] };
}

function readArgs(command: Command, argv: readonly string[], options: Options) {
  try {
    const config = Object.fromEntries(
      Object.entries(options).map(([name, { type, short }]) => [
        name,
        short === undefined ? { type } : { type, short },
      ]),
    );
    return parseArgs({ args: [...argv], options: config, allowPositionals: true, strict: true });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const valued = code === 'ERR_PARSE_ARGS_INVALID_OPTION_VALUE' ? /--([\w-]+)/.exec(message)?.[1] : undefined;
    if (valued !== undefined) throw wrong(command, valueProblem(valued, options));
    const unknown = code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION' ? /'--?([^']+)'/.exec(message)?.[1] : undefined;
    if (unknown === undefined) throw wrong(command, `${message.split('. ')[0]}.`);
    throw wrong(command, `There is no option --${unknown}.${suggest(unknown, Object.keys(options), '--')}`);
  }
}

const valueProblem = (name: string, options: Options): string =>
  options[name]?.type === 'boolean'
    ? `--${name} takes no value.`
    : `--${name} needs a value; one that begins with - is written --${name}=VALUE.`;

const wrong = (command: Command, what: string): CliError =>
  new CliError(`${what}\nUsage: ${usageOf(command)}   (kagzi help ${command.name} says more)`);
