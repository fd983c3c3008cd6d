/** How much is measured of everybody; a round of each workload goes to one after the other. */
export interface PeerSizes {
  readonly rounds: number;
  readonly warmUp: number;
  readonly runs: number;
  /** For those who take a second for each run. */
  readonly withinMs: number;
  readonly atOnce: number;
  readonly atOnceRounds: number;
  readonly sleeps: number;
  readonly kills: number;
}

export const FULL_PEERS: PeerSizes = {
  rounds: 5,
  warmUp: 1_000,
  runs: 100,
  withinMs: 10_000,
  atOnce: 500,
  // They differ by half where others share the machine.
  atOnceRounds: 4,
  sleeps: 10,
  kills: 3,
};

export const QUICK_PEERS: PeerSizes = {
  rounds: 2,
  warmUp: 300,
  runs: 40,
  withinMs: 5_000,
  atOnce: 500,
  atOnceRounds: 1,
  sleeps: 5,
  kills: 1,
};
