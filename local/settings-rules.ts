import type { Settings } from './settings-schema.ts';

export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(host);

/** A key that is not there was wrong by itself and is reported already: rules that need it keep quiet. */
type Known = Partial<Settings>;
const reaches = (a: number | undefined, b: number | undefined): boolean => a !== undefined && b !== undefined && a >= b;

const RULES: readonly (readonly [broken: (known: Known) => boolean, problem: string])[] = [
  [
    (known) =>
      known.serverHost !== undefined &&
      !isLoopback(known.serverHost) &&
      'apiToken' in known &&
      known.apiToken === undefined,
    'KAGZI_API_TOKEN: required, because KAGZI_SERVER_HOST is not loopback',
  ],
  [
    (known) => reaches(known.workerHeartbeatIntervalSecs, known.watchdogWorkerStaleThresholdSecs),
    'KAGZI_WORKER_HEARTBEAT_INTERVAL_SECS: must be less than KAGZI_WATCHDOG_WORKER_STALE_THRESHOLD_SECS',
  ],
  [
    (known) => reaches(known.workerHeartbeatIntervalSecs, known.leaseSecs),
    'KAGZI_WORKER_HEARTBEAT_INTERVAL_SECS: must be less than KAGZI_LEASE_SECS',
  ],
];

/** What is wrong between settings that are each right alone. */
export const settingProblems = (known: Known): readonly string[] =>
  RULES.filter(([broken]) => broken(known)).map(([, problem]) => problem);
