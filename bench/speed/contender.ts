/** An engine under measurement with its worker and a client, in a process of its own. Instants are those of `monotonicMs`. */
export interface Contender {
  /** Ten steps that do nothing but answer 100 bytes, one after the other: from the start call to the result in hand. */
  tenSteps(): Promise<void>;
  /** The same ten steps side by side. */
  fanOut(): Promise<void>;
  /** Starts a run and answers when its first body began. */
  firstBodyAt(): Promise<number>;
  /** How late the code after a sleep goes on. */
  sleepLateness(ms: number): Promise<number>;
  /** Starts a run of ten steps that note themselves in the file; the sixth, in the first process, never ends. */
  startInterrupted(noteFile: string): Promise<string>;
  /** In a later process: answers when that run has ended. */
  endInterrupted(run: string): Promise<void>;
  /** Of everything that serves: engine, worker and their helpers. */
  memoryBytes(): Promise<number>;
  close(): Promise<void>;
}

/** Kagzi alone is asked for these. */
export interface KagziContender extends Contender {
  /** The instants at which each of so many steps of one run began. */
  longRun(steps: number): Promise<readonly number[]>;
  /** Adds runs to the store: finished ones of ten steps, or ones that sleep for years. */
  fill(runs: number, what: 'finished' | 'waiting'): Promise<void>;
}

export interface ContenderOptions {
  /** Of its own, and kept when the process is started again. */
  readonly directory: string;
  /** Of runs that a worker may hold at once. */
  readonly maxConcurrent: number;
  /** Where the packages of the peers are installed. */
  readonly packages?: string;
  /** Whatever runs beside the process and outlives it: a server, a database. */
  readonly address?: string;
}
