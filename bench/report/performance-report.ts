import type { PeersReport } from '../peers/measure-peers.ts';
import type { SpeedReport } from '../speed/measure-all.ts';

/** What was recorded. */
export interface PerformanceReport {
  /** When and of which commit, and whatever else is to be known of the figures. */
  readonly notes: readonly string[];
  readonly speed: SpeedReport;
  /** Not given where nobody else was measured. */
  readonly peers?: PeersReport;
}
