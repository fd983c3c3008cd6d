import { removeScratch, scratchFolder } from '../scratch.ts';
import { bareLoop } from './bare-loop.ts';
import { measureResumption, type Resumption } from './measure-resumption.ts';
import type { SpeedSizes } from './sizes.ts';
import { median, percentile, rounded } from './statistics.ts';
import { STEPS } from './step-notes.ts';
import { Subject } from './subject-process.ts';

export const SPEED_WORKLOADS = ['w1', 'w2', 'w3', 'w4', 'w5', 'w6', 'w7', 'w8', 'w9'] as const;
export type SpeedWorkload = (typeof SPEED_WORKLOADS)[number];

export interface Latency {
  readonly p50Ms: number;
  readonly p99Ms: number;
}
export interface Throughput {
  readonly runsPerS: number;
  readonly stepsPerS: number;
}

/** What the client sees, in process or over HTTP. */
export interface SpeedFigures {
  readonly w1?: Latency;
  readonly w2?: Throughput;
  readonly w3?: Latency;
  readonly w4?: Latency;
  readonly w5?: Resumption;
  readonly w6?: { readonly p50LateMs: number; readonly maxLateMs: number };
  readonly w7?: {
    readonly steps: number;
    readonly firstMs: number;
    readonly lastMs: number;
    readonly lastOverFirst: number;
  };
  readonly w8?: { readonly runs: number; readonly rssMb: number };
  readonly w9?: {
    readonly clients: readonly ({ readonly clients: number } & Throughput)[];
    readonly finished?: readonly ({ readonly finished: number } & Throughput & Latency)[];
    /** Beside runs that wait. */
    readonly waiting?: { readonly waiting: number } & Throughput & Latency;
    /** Of the store with most finished runs over the empty one. */
    readonly fullOverEmpty?: number;
  };
}

export interface Measuring {
  readonly sizes: SpeedSizes;
  readonly only: ReadonlySet<SpeedWorkload>;
  readonly progress: (line: string) => void;
  /** Where filled stores are, and stay; in a folder that goes with the measurement if not given. */
  readonly stores?: string;
}

const W7_SPAN = 100;
const W7_RUNS = 3;

/** How long the first hundred steps of a run took, and the last. */
function spansOf(began: readonly number[]): { readonly first: number; readonly last: number } {
  const span = (from: number): number => (began[from + W7_SPAN - 1] ?? Number.NaN) - (began[from] ?? Number.NaN);
  return { first: span(0), last: span(began.length - W7_SPAN) };
}

export const latency = (samples: readonly number[]): Latency => ({
  p50Ms: rounded(median(samples)),
  p99Ms: rounded(percentile(samples, 0.99)),
});

export const throughput = (stepsPerS: readonly number[]): Throughput => ({
  runsPerS: rounded(median(stepsPerS) / STEPS),
  stepsPerS: rounded(median(stepsPerS)),
});

export const lateness = (samples: readonly number[]): { readonly p50LateMs: number; readonly maxLateMs: number } => ({
  p50LateMs: rounded(median(samples)),
  maxLateMs: rounded(Math.max(...samples)),
});

export const resumption = (all: readonly Resumption[]): Resumption => ({
  resumedMs: rounded(median(all.map(({ resumedMs }) => resumedMs))),
  reExecuted: all.reduce((sum, { reExecuted }) => sum + reExecuted, 0),
});

export async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = scratchFolder('bench');
  try {
    return await work(folder);
  } finally {
    removeScratch(folder);
  }
}

/** A fresh store, and a process that is warm: what it does first in its life is no figure of anything. */
export const onSubject = <T>(
  name: string,
  maxConcurrent: number,
  warmUp: number,
  work: (subject: Subject) => Promise<T>,
): Promise<T> =>
  inFolder(async (directory) => {
    const subject = await Subject.start(name, { directory, maxConcurrent });
    try {
      if (warmUp > 0) await subject.workload('warmUp', { runs: warmUp });
      return await work(subject);
    } finally {
      await subject.close();
    }
  });

/** The workloads that are the same in process and over HTTP. */
export async function measureClient(name: string, { sizes, only, progress }: Measuring): Promise<SpeedFigures> {
  const figures: { -readonly [K in keyof SpeedFigures]: SpeedFigures[K] } = {};
  const asked = (workload: SpeedWorkload): boolean => {
    if (only.has(workload)) progress(`${name} ${workload}`);
    return only.has(workload);
  };
  await onSubject(name, sizes.w2Runs, sizes.warmUp, async (subject) => {
    if (asked('w1')) figures.w1 = latency(await subject.workload('sequential', { runs: sizes.w1Runs }));
    if (asked('w3')) figures.w3 = latency(await subject.workload('firstBody', { runs: sizes.w3Runs }));
    if (asked('w4')) figures.w4 = latency(await subject.workload('fanOut', { runs: sizes.w4Runs }));
    if (asked('w6')) figures.w6 = lateness(await subject.workload('sleep', { runs: sizes.w6Runs }));
    if (asked('w2')) {
      await subject.workload('atOnce', { runs: sizes.w2Runs, rounds: 2 });
      figures.w2 = throughput(await subject.workload('atOnce', { runs: sizes.w2Runs, rounds: sizes.w2Rounds }));
    }
    if (!asked('w9')) return;
    const clients: (Throughput & { clients: number })[] = [];
    for (const count of sizes.w9Clients) {
      const request = { clients: count, runs: sizes.w9Runs, rounds: sizes.w9Rounds };
      clients.push({ clients: count, ...throughput(await subject.workload('clients', request)) });
    }
    figures.w9 = { clients };
  });
  if (asked('w8')) {
    const bytes = await onSubject(name, 100, 0, (subject) =>
      subject.workload('memory', { runs: sizes.w8Runs, clients: 50 }),
    );
    figures.w8 = { runs: sizes.w8Runs, rssMb: rounded((bytes[0] ?? Number.NaN) / 1e6) };
  }
  return figures;
}

/** What concerns the engine alone, whoever its client is. */
export async function measureEngine({ sizes, only, progress }: Measuring): Promise<SpeedFigures> {
  const figures: { -readonly [K in keyof SpeedFigures]: SpeedFigures[K] } = {};
  if (only.has('w5')) {
    progress('kagzi w5');
    const all = [];
    for (let n = 0; n < sizes.w5Kills; n++) {
      all.push(
        await inFolder((directory) =>
          measureResumption(() => Subject.start('kagzi', { directory, maxConcurrent: 100 })),
        ),
      );
    }
    figures.w5 = resumption(all);
  }
  if (only.has('w7')) {
    progress('kagzi w7');
    const steps = sizes.w7Steps;
    const spans = await onSubject('kagzi', 100, sizes.warmUp, async (subject) => {
      const all = [];
      for (let n = 0; n < W7_RUNS; n++) all.push(spansOf(await subject.workload('longRun', { steps })));
      return all;
    });
    const [first, last] = [median(spans.map((span) => span.first)), median(spans.map((span) => span.last))];
    figures.w7 = { steps, firstMs: rounded(first), lastMs: rounded(last), lastOverFirst: rounded(last / first) };
  }
  return figures;
}

export interface Limit {
  readonly msPerRun: number;
  readonly stepsPerS: number;
}

export const measureLimit = ({ sizes, progress }: Measuring): Promise<Limit> =>
  inFolder(async (directory) => {
    progress('the bare loop');
    const { sequentialMs, stepsPerS } = bareLoop(directory, {
      sequential: sizes.w1Runs,
      runs: sizes.w2Runs,
      rounds: sizes.w2Rounds,
    });
    return { msPerRun: rounded(median(sequentialMs)), stepsPerS: rounded(median(stepsPerS)) };
  });
