import { type Settings, variableOf } from './settings-schema.ts';

export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(host);

/** A key that is not there was wrong by itself and is reported already: rules that need it keep quiet. */
type Known = Partial<Settings>;
const reaches = (a: number | undefined, b: number | undefined): boolean => a !== undefined && b !== undefined && a >= b;

type Seconds = 'workerHeartbeatIntervalSecs' | 'watchdogWorkerStaleThresholdSecs' | 'leaseSecs';

const lessThan = (known: Known, small: Seconds, large: Seconds): string | null =>
  reaches(known[small], known[large])
    ? `${variableOf(small)} (${known[small]}): must be less than ${variableOf(large)} (${known[large]})`
    : null;

/** What is wrong between settings that are each right alone. */
export const settingProblems = (known: Known): readonly string[] =>
  [
    needsToken(known) ? 'KAGZI_API_TOKEN: required, because KAGZI_SERVER_HOST is not loopback' : null,
    lessThan(known, 'workerHeartbeatIntervalSecs', 'watchdogWorkerStaleThresholdSecs'),
    lessThan(known, 'workerHeartbeatIntervalSecs', 'leaseSecs'),
  ].filter((problem) => problem !== null);

const needsToken = (known: Known): boolean =>
  known.serverHost !== undefined &&
  !isLoopback(known.serverHost) &&
  'apiToken' in known &&
  known.apiToken === undefined;
