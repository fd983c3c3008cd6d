import { type Command, GLOBAL_OPTIONS, globalOptionsOf, type Options } from './command.ts';
import { EXIT_MEANINGS } from './exit-codes.ts';
import { usageOf } from './parse-command.ts';

const list = (rows: readonly (readonly [string, string])[]): string[] => {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`);
};

const optionRows = (options: Options) =>
  Object.entries(options).map(([name, { short, value, help }]) => {
    const names = `${short === undefined ? '' : `-${short}, `}--${name}`;
    return [value === undefined ? names : `${names} ${value}`, help] as const;
  });

/** The page of all commands. */
export const helpText = (commands: readonly Command[]): string =>
  [
    'kagzi: durable workflows, from the terminal',
    '',
    'Commands:',
    ...list(commands.map((command) => [usageOf(command).slice('kagzi '.length), command.summary] as const)),
    ...list([['help [command]', 'This page, or that of a command']]),
    '',
    'Options of every command:',
    ...list(optionRows(GLOBAL_OPTIONS)),
    '',
    'Exit codes:',
    ...list(Object.entries(EXIT_MEANINGS)),
  ].join('\n');

export const commandHelp = (command: Command): string =>
  [
    `${usageOf(command)}: ${command.summary}`,
    '',
    'Options:',
    ...list(optionRows({ ...command.options, ...globalOptionsOf(command) })),
    ...(command.notes.length === 0 ? [] : ['', ...command.notes]),
  ].join('\n');
