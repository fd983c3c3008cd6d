export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** What the engine tells the people who run it. Never a payload. */
export interface Telemetry {
  count(metric: Metric, value?: number, labels?: Readonly<Record<string, string>>): void;
  log(level: LogLevel, message: string, fields?: Readonly<Record<string, string | number | boolean | null>>): void;
}

export type Metric =
  | 'runs_started'
  | 'runs_completed'
  | 'runs_failed'
  | 'runs_cancelled'
  | 'runs_claimed'
  | 'runs_retried'
  | 'steps_completed'
  | 'steps_failed'
  | 'steps_retried'
  | 'sleeps_started'
  | 'leases_recovered'
  | 'dispatches_resent'
  | 'workers_stale'
  | 'watchdog_ticks'
  | 'dead_letters'
  | 'runs_purged'
  | 'blobs_swept'
  | 'write_units'
  | 'read_units';
