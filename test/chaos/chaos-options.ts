import { parseArgs } from 'node:util';
import type { ChaosOptions } from './chaos.ts';

export type ChaosFigures = Omit<ChaosOptions, 'say'>;

/** What `npm test` does. */
const CI = { kills: 100, stores: 5, stops: 10, cuts: 60, runs: 200, seed: 1 } as const;
const NAMES = ['kills', 'stores', 'stops', 'cuts', 'runs', 'seed'] as const;
const MAX = 1_000_000_000;

/** Far more than a slow machine needs: it is there so that a hang ends by itself. */
const deadlineMs = ({ kills, stores, stops, runs }: Omit<ChaosFigures, 'deadlineMs'>): number =>
  120_000 + kills * 1_000 + stores * 5_000 + stops * 6_000 + runs * 300;

export function chaosFigures(given: Partial<ChaosFigures> = {}): ChaosFigures {
  const figures = { ...CI, ...given };
  return { deadlineMs: deadlineMs(figures), ...figures };
}

export interface ChaosCommand {
  readonly figures: ChaosFigures;
  readonly json: boolean;
}

const USAGE = `npm run chaos -- [--json] ${NAMES.map((name) => `[--${name} N]`).join(' ')} [--deadline SECONDS]
Left out, they are: ${NAMES.map((name) => `${name} ${CI[name]}`).join(', ')}.`;

/** Throws a UsageError that says how it is meant. */
export class UsageError extends Error {}

export function parseChaosCommand(args: readonly string[]): ChaosCommand {
  const numbers = Object.fromEntries([...NAMES, 'deadline'].map((name) => [name, { type: 'string' as const }]));
  let values: Readonly<Record<string, string | boolean | undefined>>;
  try {
    const options = { ...numbers, json: { type: 'boolean' as const, default: false } };
    ({ values } = parseArgs({ args: [...args], options }) as { values: typeof values });
  } catch (error) {
    throw new UsageError(`${(error as Error).message}\n${USAGE}`);
  }
  const { json, deadline, ...rest } = values;
  const figures = Object.fromEntries(Object.entries(rest).map(([name, text]) => [name, wholeNumber(name, text)]));
  const limit = deadline === undefined ? {} : { deadlineMs: wholeNumber('deadline', deadline) * 1000 };
  return { figures: chaosFigures({ ...figures, ...limit }), json: json === true };
}

function wholeNumber(name: string, text: string | boolean | undefined): number {
  const number = typeof text === 'string' && /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isSafeInteger(number) && number <= MAX) return number;
  throw new UsageError(`--${name} ${String(text)}: give a whole number from 0 to ${MAX}\n${USAGE}`);
}
