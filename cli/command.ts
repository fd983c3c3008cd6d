import type { HttpApi, Patience } from '../sdk/client/http-api.ts';
import type { ExitCode } from './exit-codes.ts';

export interface Option {
  readonly type: 'string' | 'boolean';
  readonly short?: string;
  /** What stands for the value in the help. */
  readonly value?: string;
  readonly help: string;
}

export type Options = Readonly<Record<string, Option>>;
export type Values<O extends Options> = { readonly [K in keyof O]?: O[K]['type'] extends 'boolean' ? boolean : string };

export const GLOBAL_OPTIONS = {
  url: { type: 'string', value: 'URL', help: 'the engine (KAGZI_URL; http://127.0.0.1:8750 if not given)' },
  namespace: { type: 'string', value: 'NAME', help: '`default` if not given' },
  token: { type: 'string', value: 'TOKEN', help: 'bearer token (KAGZI_API_TOKEN)' },
  sign: {
    type: 'boolean',
    help: 'sign with your AWS credentials (KAGZI_SIGN=on or off; on if not given and the URL is an API Gateway’s)',
  },
  profile: { type: 'string', value: 'NAME', help: 'sign with the credentials of this profile (AWS_PROFILE)' },
  region: { type: 'string', value: 'REGION', help: 'sign for this AWS region (AWS_REGION, unless the URL names one)' },
  json: { type: 'boolean', help: 'JSON instead of text for people' },
  help: { type: 'boolean', short: 'h', help: 'this' },
} as const satisfies Options;

const CONNECTION: readonly string[] = ['url', 'namespace', 'token', 'sign', 'profile', 'region'];

/** Those of every command that mean something to this one. */
export const globalOptionsOf = ({ local }: Pick<Command, 'local'>): Options =>
  Object.fromEntries(Object.entries(GLOBAL_OPTIONS).filter(([name]) => !local || !CONNECTION.includes(name)));

/** What a command works with. */
export interface Terminal {
  /** Where the engine is. */
  readonly url: string;
  readonly namespace: string;
  readonly json: boolean;
  /** Made when first asked for: some commands need no engine. */
  readonly connect: (patience?: Patience) => HttpApi;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The result: standard output. */
  readonly print: (text: string) => void;
  /** Progress and hints: standard error. */
  readonly note: (text: string) => void;
}

export interface Command {
  readonly name: string;
  /** As in `<run>` (needed) and `[id]` (may be left out). */
  readonly args: readonly string[];
  readonly summary: string;
  readonly options: Options;
  /** It talks to no engine. */
  readonly local: boolean;
  /** Lines below the options in its help. */
  readonly notes: readonly string[];
  run(terminal: Terminal, args: readonly string[], values: Values<Options>): Promise<ExitCode>;
}

interface CommandDefinition<O extends Options> {
  readonly name: string;
  readonly args?: readonly string[];
  readonly summary: string;
  readonly options?: O;
  readonly local?: boolean;
  readonly notes?: readonly string[];
  run(terminal: Terminal, args: readonly string[], values: Values<O>): Promise<ExitCode>;
}

// biome-ignore lint/complexity/noBannedTypes: a command without options of its own
export function defineCommand<const O extends Options = {}>(definition: CommandDefinition<O>): Command {
  const { name, summary, args = [], notes = [], options = {}, local = false } = definition;
  return {
    name,
    summary,
    args,
    notes,
    options,
    local,
    run: (terminal, given, values) => definition.run(terminal, given, values as Values<O>),
  };
}

export const printJson = ({ print }: Terminal, value: unknown): void => print(JSON.stringify(value, null, 2));
