export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** What the engine tells the people who run it. Never a payload. */
export interface Telemetry {
  count(metric: Metric, value?: number, labels?: Readonly<Record<string, string>>): void;
  log(level: LogLevel, message: string, fields?: Readonly<Record<string, string | number | boolean | null>>): void;
}

/** Every metric there is, and its unit. Dashboards and alarms name no others. */
export const METRICS = {
  runs_started: 'Count',
  runs_completed: 'Count',
  runs_failed: 'Count',
  runs_cancelled: 'Count',
  runs_claimed: 'Count',
  runs_retried: 'Count',
  runs_stalled: 'Count',
  steps_completed: 'Count',
  steps_failed: 'Count',
  steps_retried: 'Count',
  sleeps_started: 'Count',
  schedules_fired: 'Count',
  schedule_lag_ms: 'Milliseconds',
  schedule_fires_skipped: 'Count',
  leases_recovered: 'Count',
  dispatches_resent: 'Count',
  worker_heartbeats: 'Count',
  workers_stale: 'Count',
  watchdog_ticks: 'Count',
  dead_letters: 'Count',
  runs_purged: 'Count',
  blobs_swept: 'Count',
  write_units: 'Count',
  read_units: 'Count',
} as const satisfies Record<string, 'Count' | 'Milliseconds'>;
export type Metric = keyof typeof METRICS;
