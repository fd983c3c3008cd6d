import { LIST_PRICES } from '../shared/model/list-prices.ts';
import type { Figures } from './figures.ts';

/** us-east-1 list prices in dollars, per GB and per GB and month besides. */
const PRICES = {
  ...LIST_PRICES,
  logGb: 0.5,
  storageGbMonth: 0.25,
  recoveryGbMonth: 0.2,
} as const;

/** A million calls of the HTTP API, each with its invocation. */
export const MILLION_API_CALLS = 1e6 * (PRICES.httpApiRequest + PRICES.lambdaRequest);

/** What nothing here can measure. A worker waits about 5 ms for each of its calls; the author's own time is not ours. */
export const ASSUMED = {
  functionGb: 0.25,
  apiSeconds: 0.015,
  workerSeconds: 0.065,
  /** Lambda's own lines of two invocations, and ours. */
  logBytes: 700,
} as const;

export const dollarsPerMillion = (figures: Figures): number =>
  1e6 *
  (figures.writeUnits * PRICES.writeUnit +
    figures.readUnits * PRICES.readUnit +
    figures.queueCalls * PRICES.queueCall +
    (figures.timerCalls ?? 0) * PRICES.timerCall);

export interface RunDollars {
  readonly parts: Readonly<Record<string, number>>;
  readonly total: number;
}

/** A run started over HTTP and served by a Lambda worker, kept for 30 days with point-in-time recovery. */
export function dollarsPerMillionRuns(figures: Figures): RunDollars {
  const storedGb = (figures.storedBytes ?? Number.NaN) / 1e9;
  const seconds = ASSUMED.apiSeconds + ASSUMED.workerSeconds;
  const each = {
    'write units': figures.writeUnits * PRICES.writeUnit,
    'read units': figures.readUnits * PRICES.readUnit,
    queue: figures.queueCalls * PRICES.queueCall,
    'API start': PRICES.httpApiRequest + PRICES.lambdaRequest,
    'worker request': PRICES.lambdaRequest,
    'function time': seconds * ASSUMED.functionGb * PRICES.lambdaGbSecond,
    logs: (ASSUMED.logBytes / 1e9) * PRICES.logGb,
    '30 days of storage': storedGb * PRICES.storageGbMonth,
    'point-in-time recovery': storedGb * PRICES.recoveryGbMonth,
  };
  const parts = Object.fromEntries(Object.entries(each).map(([part, dollars]) => [part, dollars * 1e6]));
  return { parts, total: Object.values(parts).reduce((a, b) => a + b, 0) };
}
