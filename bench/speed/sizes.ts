/** How much of everything is measured. */
export interface SpeedSizes {
  readonly warmUp: number;
  readonly w1Runs: number;
  readonly w2Runs: number;
  readonly w2Rounds: number;
  readonly w3Runs: number;
  readonly w4Runs: number;
  readonly w5Kills: number;
  readonly w6Runs: number;
  readonly w7Steps: number;
  readonly w8Runs: number;
  readonly w9Clients: readonly number[];
  readonly w9Runs: number;
  readonly w9Rounds: number;
  /** Finished runs in the store. */
  readonly w9Finished: readonly number[];
  /** Runs in the store that sleep for years. */
  readonly w9Waiting: number;
}

export const FULL: SpeedSizes = {
  warmUp: 2_000,
  w1Runs: 500,
  w2Runs: 500,
  w2Rounds: 9,
  w3Runs: 300,
  w4Runs: 300,
  w5Kills: 5,
  w6Runs: 20,
  w7Steps: 10_000,
  w8Runs: 10_000,
  w9Clients: [1, 2, 4, 8],
  w9Runs: 400,
  w9Rounds: 7,
  w9Finished: [0, 10_000, 100_000, 1_000_000],
  w9Waiting: 100_000,
};

export const QUICK: SpeedSizes = {
  warmUp: 300,
  w1Runs: 100,
  w2Runs: 500,
  w2Rounds: 3,
  w3Runs: 50,
  w4Runs: 50,
  w5Kills: 1,
  w6Runs: 5,
  w7Steps: 2_000,
  w8Runs: 1_000,
  w9Clients: [1, 8],
  w9Runs: 100,
  w9Rounds: 3,
  w9Finished: [0, 1_000],
  w9Waiting: 1_000,
};

/** Says nothing about speed: that the harness works. */
export const TINY: SpeedSizes = {
  warmUp: 10,
  w1Runs: 3,
  w2Runs: 10,
  w2Rounds: 1,
  w3Runs: 3,
  w4Runs: 3,
  w5Kills: 1,
  w6Runs: 1,
  w7Steps: 200,
  w8Runs: 20,
  w9Clients: [1, 2],
  w9Runs: 10,
  w9Rounds: 1,
  w9Finished: [0, 20],
  w9Waiting: 20,
};
