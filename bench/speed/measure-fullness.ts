import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { STORE_FORMAT } from '../../local/store-schema.ts';
import { SeededRandom } from '../../test/helpers/seeded-random.ts';
import {
  inFolder,
  type Latency,
  latency,
  type Measuring,
  type SpeedFigures,
  type Throughput,
  throughput,
} from './measure-speed.ts';
import { shuffled } from './shuffled.ts';
import type { SpeedSizes } from './sizes.ts';
import { rounded } from './statistics.ts';
import { Subject } from './subject-process.ts';

type Fullness = Pick<NonNullable<SpeedFigures['w9']>, 'finished' | 'waiting' | 'fullOverEmpty'>;

interface Content {
  readonly what: 'finished' | 'waiting';
  readonly runs: number;
}

interface Filled extends Content {
  readonly subject: Subject;
  readonly stepsPerS: number[];
  readonly ms: number[];
}

/** The same load on stores of every size, turn by turn, so that whatever else the machine does befalls all of them. */
export async function measureFullness(measuring: Measuring): Promise<Fullness> {
  const { stores } = measuring;
  return inFolder((folder) => measureIn(folder, stores ?? folder, measuring));
}

/** The empty store is always a new one. */
async function measureIn(folder: string, stores: string, { sizes, progress }: Measuring): Promise<Fullness> {
  const clients = Math.max(...sizes.w9Clients);
  const all: Filled[] = [];
  try {
    for (const content of contents(sizes)) {
      progress(`kagzi w9: a store with ${content.runs} ${content.what} runs`);
      const directory = join(content.runs === 0 ? folder : stores, `${content.what}-${content.runs}`);
      const options = { directory, maxConcurrent: sizes.w2Runs };
      await fill(options, content, progress);
      all.push({ ...content, subject: await Subject.start('kagzi', options), stepsPerS: [], ms: [] });
    }
    for (const { subject } of all) await subject.workload('warmUp', { runs: sizes.warmUp });
    const random = new SeededRandom(all.length);
    const runs = Math.ceil(sizes.w1Runs / sizes.w9Rounds);
    for (let round = 1; round <= sizes.w9Rounds; round++) {
      progress(`kagzi w9: round ${round} of ${sizes.w9Rounds}`);
      for (const { subject, stepsPerS, ms } of shuffled(all, random)) {
        stepsPerS.push(...(await subject.workload('clients', { clients, runs: sizes.w9Runs, rounds: 1 })));
        ms.push(...(await subject.workload('sequential', { runs })));
      }
    }
  } finally {
    for (const { subject } of all) await subject.close();
  }
  const figures = (of: Filled): Throughput & Latency => ({ ...throughput(of.stepsPerS), ...latency(of.ms) });
  const finished = all
    .filter(({ what }) => what === 'finished')
    .sort((a, b) => a.runs - b.runs)
    .map((of) => ({ finished: of.runs, ...figures(of) }));
  const [waiting] = all.filter(({ what }) => what === 'waiting').map((of) => ({ waiting: of.runs, ...figures(of) }));
  const [empty, full] = [finished[0], finished.at(-1)];
  const fullOverEmpty = rounded((full?.stepsPerS ?? Number.NaN) / (empty?.stepsPerS ?? Number.NaN));
  return { finished, ...(waiting === undefined ? {} : { waiting }), fullOverEmpty };
}

const contents = ({ w9Finished, w9Waiting }: SpeedSizes): readonly Content[] => [
  ...w9Finished.map((runs) => ({ what: 'finished', runs }) as const),
  { what: 'waiting', runs: w9Waiting },
];

/** A store that was filled before is taken as it is: a few thousand runs more make no difference to a large one. */
async function fill(
  options: { readonly directory: string; readonly maxConcurrent: number },
  { what, runs }: Content,
  progress: (line: string) => void,
): Promise<void> {
  if (runs === 0) return;
  const { directory } = options;
  const marker = join(directory, 'filled');
  const filled = `format ${STORE_FORMAT}, ${runs} ${what} runs\n`;
  if (existsSync(marker) && readFileSync(marker, 'utf8') === filled) return;
  // Of another version, or given up half-way.
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  const filler = await Subject.start('kagzi', options);
  const [ms = 0] = await filler.workload('fill', { runs, what });
  await filler.close();
  writeFileSync(marker, filled);
  progress(`  filled in ${Math.round(ms / 1000)} s`);
}
