import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  inFolder,
  type Latency,
  latency,
  type Measuring,
  type SpeedFigures,
  type Throughput,
  throughput,
} from './measure-speed.ts';
import { rounded } from './statistics.ts';
import { Subject } from './subject-process.ts';

type Fullness = Pick<NonNullable<SpeedFigures['w9']>, 'finished' | 'fullOverEmpty'>;

interface Filled {
  readonly finished: number;
  readonly subject: Subject;
  readonly stepsPerS: number[];
  readonly ms: number[];
}

/** The same load on stores of every size, turn by turn, so that whatever else the machine does befalls all of them. */
export async function measureFullness(measuring: Measuring): Promise<Fullness> {
  const { stores } = measuring;
  return stores === undefined ? inFolder((folder) => measureIn(folder, measuring)) : measureIn(stores, measuring);
}

async function measureIn(folder: string, { sizes, progress }: Measuring): Promise<Fullness> {
  const clients = Math.max(...sizes.w9Clients);
  const all: Filled[] = [];
  try {
    for (const finished of sizes.w9Finished) {
      progress(`kagzi w9: a store with ${finished} finished runs`);
      const options = { directory: join(folder, String(finished)), maxConcurrent: sizes.w2Runs };
      await fill(options, finished, progress);
      all.push({ finished, subject: await Subject.start('kagzi', options), stepsPerS: [], ms: [] });
    }
    for (const { subject } of all) await subject.workload('warmUp', { runs: sizes.warmUp });
    const runs = Math.ceil(sizes.w1Runs / sizes.w9Rounds);
    for (let round = 1; round <= sizes.w9Rounds; round++) {
      progress(`kagzi w9: round ${round} of ${sizes.w9Rounds}`);
      for (const { subject, stepsPerS, ms } of all) {
        stepsPerS.push(...(await subject.workload('clients', { clients, runs: sizes.w9Runs, rounds: 1 })));
        ms.push(...(await subject.workload('sequential', { runs })));
      }
      // Nobody always comes after the same one.
      all.push(...all.splice(0, 1));
    }
  } finally {
    for (const { subject } of all) await subject.close();
  }
  all.sort((a, b) => a.finished - b.finished);
  const figures: ({ finished: number } & Throughput & Latency)[] = all.map(({ finished, stepsPerS, ms }) => ({
    finished,
    ...throughput(stepsPerS),
    ...latency(ms),
  }));
  const [empty, full] = [figures[0], figures.at(-1)];
  const fullOverEmpty = rounded((full?.stepsPerS ?? Number.NaN) / (empty?.stepsPerS ?? Number.NaN));
  return { finished: figures, fullOverEmpty };
}

/** A store that was filled before is taken as it is: a few thousand runs more make no difference to it. */
async function fill(
  options: { readonly directory: string; readonly maxConcurrent: number },
  runs: number,
  progress: (line: string) => void,
): Promise<void> {
  const isFilled = join(options.directory, 'filled');
  if (runs === 0 || existsSync(isFilled)) return;
  mkdirSync(options.directory, { recursive: true });
  const filler = await Subject.start('kagzi', options);
  const [ms = 0] = await filler.workload('fill', { runs });
  await filler.close();
  writeFileSync(isFilled, '');
  progress(`  filled in ${Math.round(ms / 1000)} s`);
}
