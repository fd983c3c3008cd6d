import { accessSync, constants, mkdirSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { PlainError } from '../plain-error.ts';
import { type Measuring, SPEED_WORKLOADS, type SpeedWorkload } from './measure-speed.ts';
import { FULL, QUICK, type SpeedSizes, TINY } from './sizes.ts';

export interface SpeedOptions extends Measuring {
  readonly json: boolean;
  readonly http: boolean;
}

const list = (text: string): string[] => text.split(',').map((part) => part.trim());

function readOnly(text: string | undefined): ReadonlySet<SpeedWorkload> {
  if (text === undefined) return new Set(SPEED_WORKLOADS);
  const asked = list(text).map((name) => {
    const known = SPEED_WORKLOADS.find((workload) => workload === name);
    if (known === undefined)
      throw new PlainError(`There is no workload "${name}": choose from ${SPEED_WORKLOADS.join(', ')}.`);
    return known;
  });
  return new Set(asked);
}

function readFinished(text: string): number[] {
  return list(text).map((part) => {
    const count = Number(part);
    if (!Number.isSafeInteger(count) || count < 0) throw new PlainError(`"${part}" is no number of finished runs.`);
    return count;
  });
}

/** Before an hour is spent on what cannot be kept there. */
function requireFolder(folder: string): string {
  try {
    mkdirSync(folder, { recursive: true });
    accessSync(folder, constants.W_OK);
    return folder;
  } catch (error) {
    throw new PlainError(`The stores cannot be kept in ${folder}: ${(error as Error).message}`);
  }
}

export function readSpeedOptions(args: readonly string[]): SpeedOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      json: { type: 'boolean', default: false },
      /** Fewer of everything: minutes instead of a quarter of an hour. */
      quick: { type: 'boolean', default: false },
      /** For the test of the harness. */
      tiny: { type: 'boolean', default: false },
      only: { type: 'string' },
      'skip-http': { type: 'boolean', default: false },
      /** Sizes of the store for W9, like 0,10000. */
      finished: { type: 'string' },
      /** A folder where the stores of W9 are filled, and kept for the next time. */
      stores: { type: 'string' },
    },
  });
  const sizes: SpeedSizes = values.tiny ? TINY : values.quick ? QUICK : FULL;
  return {
    json: values.json,
    http: !values['skip-http'],
    sizes: values.finished === undefined ? sizes : { ...sizes, w9Finished: readFinished(values.finished) },
    only: readOnly(values.only),
    ...(values.stores === undefined ? {} : { stores: requireFolder(values.stores) }),
    progress: (line) => void process.stderr.write(`${line}\n`),
  };
}
