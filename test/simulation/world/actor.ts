import type { Clock } from '../../../shared/ports/clock.ts';

export type Role = 'api' | 'client' | 'watchdog' | 'wake' | 'direct' | 'lambda' | 'poll';

/** Somebody who does things: what the rules need to know of a process. */
export interface Actor {
  readonly name: string;
  readonly role: Role;
  readonly clock: Clock;
  /** The latest time that its clock has shown; it may have been set back since. */
  readonly latest: number;
  /** Neither dead nor standing still. */
  readonly isAwake: boolean;
  /** How wrong its clock is. */
  readonly skewMs: number;
  /** How often it has begun or ceased to stand still. */
  readonly pauses: number;
}

/** When something was sent, by its sender's clock that never steps back and by the true time. */
export interface Sent {
  readonly monotonic: number;
  readonly at: number;
}
