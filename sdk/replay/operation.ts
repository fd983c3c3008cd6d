import type { Stop } from '../../shared/model/stop.ts';
import type { Outcome, RecordedStep, StepPlace } from './journal.ts';

/** Why an operation has no outcome yet. */
export type Waiting =
  /** Just asked for. */
  | { readonly for: 'start' }
  /** Something of it is under way in this worker; `first` if it is what begins it. */
  | { readonly for: 'work'; readonly first: boolean }
  | { readonly for: 'time'; readonly until: number; readonly attempt: number }
  | { readonly for: 'child'; readonly runId: string };

/** Something the code asked for, until its outcome has been delivered. */
export interface Operation {
  readonly kind: RecordedStep['kind'];
  readonly place: StepPlace;
  readonly recorded: RecordedStep | undefined;
  waiting: Waiting;
  /** Told when its outcome is of no more interest: its body, if any, should stop. */
  readonly stopping: Stop;
  /** Begins it, or goes on with it. */
  work(attempt: number): Promise<void>;
  /** Of what goes on elsewhere: ends it there, once its outcome is of no more interest. */
  cancel?(): Promise<void>;
  settle(outcome: Outcome): void;
  reject(error: Error): void;
}

/** How an operation gives its outcome to the code. */
export interface Settle {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}
