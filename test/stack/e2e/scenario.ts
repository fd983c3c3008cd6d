import type { E2eWorld } from './e2e-world.ts';

/** One thing that the deployed stack must do. Throws what is wrong. */
export interface Scenario {
  readonly name: string;
  /** Whether it is in the short form, too. */
  readonly short: boolean;
  run(world: E2eWorld): Promise<void>;
}
