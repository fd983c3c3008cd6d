import { parseFigures, UsageError } from '../helpers/parse-figures.ts';
import type { StackChaosOptions } from '../stack/chaos/stack-chaos.ts';
import type { ChaosOptions } from './chaos.ts';

export type ChaosFigures = Omit<ChaosOptions, 'say'>;

/** What `npm test` does. */
const CI = { kills: 100, stores: 5, stops: 10, cuts: 60, runs: 200, seed: 1 };

/** Far more than a slow machine needs: it is there so that a hang ends by itself. */
const secondsFor = ({ kills, stores, stops, runs }: typeof CI): number =>
  120 + kills + stores * 5 + stops * 6 + Math.ceil(runs / 3);

export const ciFigures = (): ChaosFigures => ({ ...CI, deadlineMs: secondsFor(CI) * 1000 });

/** Of the synthesised stack on its test bed. A lease lasts half a minute there, by the real clock. */
const STACK = { kills: 20, stops: 3, runs: 40, seed: 1 };

const stackSecondsFor = ({ kills, stops, runs }: typeof STACK): number => 300 + kills * 15 + stops * 60 + runs * 3;

type ChaosCommand = { readonly json: boolean } & (
  | { readonly target: 'server'; readonly figures: ChaosFigures }
  | { readonly target: 'stack'; readonly figures: Omit<StackChaosOptions, 'say'> }
);

/** `--deadline` in seconds; 0 leaves it to the other figures. */
export function parseChaosCommand(args: readonly string[]): ChaosCommand {
  const at = args.indexOf('--target');
  const target = at < 0 ? 'server' : args[at + 1];
  if (target !== 'server' && target !== 'stack') throw new UsageError('--target is server or stack');
  const rest = at < 0 ? args : args.toSpliced(at, 2);
  if (target === 'stack') {
    const { figures, json } = parseFigures('chaos -- --target stack', rest, { ...STACK, deadline: 0 });
    const { deadline, ...asked } = figures;
    return { target, figures: { ...asked, deadlineMs: (deadline || stackSecondsFor(asked)) * 1000 }, json };
  }
  const { figures, json } = parseFigures('chaos', rest, { ...CI, deadline: 0 });
  const { deadline, ...asked } = figures;
  const seconds = deadline === 0 ? secondsFor(asked) : deadline;
  return { target, figures: { ...asked, deadlineMs: seconds * 1000 }, json };
}
