import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { type Machine, machine } from '../speed/machine.ts';
import { measureResumption, type Resumption } from '../speed/measure-resumption.ts';
import { latency, lateness, resumption, type SpeedFigures, throughput } from '../speed/measure-speed.ts';
import { type Stamp, stamp } from '../speed/stamp.ts';
import { Subject } from '../speed/subject-process.ts';
import type { PeerPackages } from './peer-packages.ts';
import { FULL_PEERS, type PeerSizes } from './peer-sizes.ts';
import type { Peer } from './peers.ts';
import { ratios } from './ratios.ts';

export interface PeersReport {
  readonly measured: Stamp;
  readonly machine: Machine;
  readonly ours: SpeedFigures;
  /** The same engine as a server in a process of its own, with its worker, as a peer that is a server has it. */
  readonly oursOverHttp: SpeedFigures;
  readonly peers: Readonly<Record<string, SpeedFigures & { readonly version: string }>>;
  readonly skipped: Readonly<Record<string, string>>;
  /** Ours over that of the best peer: of latencies less is better, of throughput more. */
  readonly ratios: Readonly<Record<string, number>>;
}

const OURS = 'kagzi';
const OVER_HTTP = 'kagzi-http';
const LATENCIES = ['sequential', 'firstBody', 'fanOut'] as const;
type Samples = Record<(typeof LATENCIES)[number] | 'sleep' | 'atOnce', number[]>;

interface Contestant {
  readonly name: string;
  readonly start: () => Promise<Subject>;
  readonly samples: Samples;
  readonly resumptions: Resumption[];
}

/** Kagzi and its peers on one Node, turn by turn, so that whatever else the machine does befalls all of them. */
export async function measurePeers(
  { node }: PeerPackages,
  directory: string,
  peers: readonly Peer[],
  skipped: Readonly<Record<string, string>>,
  sizes: PeerSizes,
  progress: (line: string) => void,
): Promise<PeersReport> {
  const contestant = (name: string, options: Peer['options']): Contestant => ({
    name,
    start: () => Subject.start(name, { ...options, maxConcurrent: sizes.atOnce }, node),
    samples: { sequential: [], firstBody: [], fanOut: [], sleep: [], atOnce: [] },
    resumptions: [],
  });
  const ours = contestant(OURS, { directory: join(directory, OURS) });
  const overHttp = contestant(OVER_HTTP, { directory: join(directory, OVER_HTTP) });
  const others = peers.map(({ name, options }) => contestant(name, options));
  await takeTurns([ours, overHttp, ...others], sizes, progress);
  for (let kill = 0; kill < sizes.kills; kill++) {
    for (const { name, start, resumptions } of [ours, ...others]) {
      progress(`${name} w5`);
      resumptions.push(await measureResumption(start));
    }
  }
  const [mine, theirs] = [figuresOf(ours), others.map(figuresOf)];
  const named = Object.fromEntries(peers.map(({ name, version }, index) => [name, { version, ...theirs[index] }]));
  return {
    measured: stamp(sizes === FULL_PEERS ? 'full' : 'quick'),
    machine: machine(spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout.trim()),
    ours: mine,
    oursOverHttp: figuresOf(overHttp),
    peers: named,
    skipped,
    ratios: ratios(mine, theirs),
  };
}

async function takeTurns(
  all: readonly Contestant[],
  sizes: PeerSizes,
  progress: (line: string) => void,
): Promise<void> {
  const { runs, withinMs } = sizes;
  const subjects: { readonly contestant: Contestant; readonly subject: Subject }[] = [];
  for (const contestant of all) {
    progress(`${contestant.name} warms up`);
    const subject = await contestant.start();
    subjects.push({ contestant, subject });
    await subject.workload('warmUp', { runs: sizes.warmUp, withinMs });
    await subject.workload('atOnce', { runs: sizes.atOnce, rounds: 2 });
  }
  for (let round = 1; round <= sizes.rounds; round++) {
    // Nobody always comes after the same one.
    subjects.push(...subjects.splice(0, 1));
    for (const workload of LATENCIES) {
      progress(`round ${round} of ${sizes.rounds}: ${workload}`);
      for (const { contestant, subject } of subjects) {
        contestant.samples[workload].push(...(await subject.workload(workload, { runs, withinMs })));
      }
    }
    progress(`round ${round} of ${sizes.rounds}: at once`);
    for (const { contestant, subject } of subjects) {
      const request = { runs: sizes.atOnce, rounds: sizes.atOnceRounds };
      contestant.samples.atOnce.push(...(await subject.workload('atOnce', request)));
    }
  }
  progress('sleeps');
  for (const { contestant, subject } of subjects) {
    contestant.samples.sleep.push(...(await subject.workload('sleep', { runs: sizes.sleeps })));
  }
  for (const { subject } of subjects) await subject.close();
}

const figuresOf = ({ samples, resumptions }: Contestant): SpeedFigures => ({
  w1: latency(samples.sequential),
  w2: throughput(samples.atOnce),
  w3: latency(samples.firstBody),
  w4: latency(samples.fanOut),
  ...(resumptions.length === 0 ? {} : { w5: resumption(resumptions) }),
  w6: lateness(samples.sleep),
});
