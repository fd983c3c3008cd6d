import packageFile from '../package.json' with { type: 'json' };
import { HttpApi } from '../sdk/client/http-api.ts';
import { suggest } from '../sdk/suggest.ts';
import { chooseProof } from './choose-proof.ts';
import type { Terminal } from './command.ts';
import { COMMANDS } from './commands.ts';
import { environmentUrl } from './environment-url.ts';
import { CliError, EXIT, type ExitCode } from './exit-codes.ts';
import { explainError } from './explain-error.ts';
import { commandHelp, helpText } from './help.ts';
import { type Parsed, parseCommand } from './parse-command.ts';

type Streams = Pick<Terminal, 'print' | 'note' | 'env'>;

const DEFAULT_URL = 'http://127.0.0.1:8750';
const HELP: readonly string[] = ['help', '--help', '-h'];

/** One command line from its words to its exit code. */
export async function runCli(argv: readonly string[], streams: Streams): Promise<ExitCode> {
  try {
    const [name, ...rest] = argv;
    if (name === undefined) {
      streams.note(helpText(COMMANDS));
      return EXIT.failed;
    }
    if (name === '--version' || name === '-v') {
      streams.print(packageFile.version);
      return EXIT.ok;
    }
    if (HELP.includes(name)) {
      streams.print(rest[0] === undefined ? helpText(COMMANDS) : commandHelp(findCommand(rest[0])));
      return EXIT.ok;
    }
    const command = findCommand(name);
    const { args, values } = parseCommand(command, rest);
    if (values.help === true) {
      streams.print(commandHelp(command));
      return EXIT.ok;
    }
    return await command.run(await terminalFor(streams, values), args, values);
  } catch (error) {
    const { code, message, exitCode } = explainError(error);
    streams.note(argv.includes('--json') ? JSON.stringify({ error: { code, message } }) : message);
    return exitCode;
  }
}

function findCommand(name: string) {
  const command = COMMANDS.find((candidate) => candidate.name === name);
  if (command !== undefined) return command;
  const names = COMMANDS.map((candidate) => candidate.name);
  throw new CliError(
    `There is no command ${JSON.stringify(name)}.${suggest(name, names, 'kagzi ')}\nkagzi help lists them all.`,
  );
}

async function terminalFor(streams: Streams, values: Parsed['values']): Promise<Terminal> {
  const { env } = streams;
  const url = values.url ?? (await environmentUrl(values, env)) ?? (env['KAGZI_URL'] || DEFAULT_URL);
  if (!/^https?:$/.test(URL.canParse(url) ? new URL(url).protocol : ''))
    throw new CliError(`${JSON.stringify(url)} is no URL of an engine, such as ${DEFAULT_URL}.`);
  const proof = chooseProof(new URL(url), values, env);
  const namespace = values.namespace ?? 'default';
  let api: HttpApi | null = null;
  return {
    ...streams,
    // Whoever reads JSON reads errors from there too: nothing else is to stand among them.
    ...(values.json === true ? { note: () => undefined } : {}),
    url,
    namespace,
    json: values.json === true,
    connect(patience = {}) {
      api ??= new HttpApi({ url, namespace, ...proof });
      return api.with({ attempts: 3, ...patience });
    },
  };
}
