import { z } from 'zod';

const HTTP_POLL_LIMIT_SECS = 20;
const PAYLOAD_LIMIT_BYTES = 2_097_152;

const seconds = (min: number, max: number) => z.int().min(min).max(max);
const isOrigin = (text: string): boolean => URL.canParse(text) && new URL(text).origin === text;
const origin = z.string().refine(isOrigin, { error: 'expected origins such as http://localhost:3000' });

/** Key `serverPort` is variable KAGZI_SERVER_PORT. Descriptions and limits are what docs/settings.md prints. */
export const settingsSchema = z.strictObject({
  serverHost: z
    .string()
    .min(1)
    .default('127.0.0.1')
    .describe('Address the server listens on. Anything but loopback needs `KAGZI_API_TOKEN`.'),
  serverPort: z.int().min(0).max(65_535).default(8750).describe('Port the server listens on; 0 takes a free one.'),
  dataDir: z
    .string()
    .min(1)
    .default('.kagzi')
    .describe('Directory that holds the whole engine: table, queues, timers and blobs.'),
  apiToken: z
    .string()
    .min(16)
    .optional()
    .describe('Bearer token every request must carry. Required when the host is not loopback.'),
  adminToken: z
    .string()
    .min(16)
    .optional()
    .describe('Bearer token of the `/admin` calls; without it `KAGZI_API_TOKEN` serves for them too.'),
  allowedOrigins: z
    .array(origin)
    .default([])
    .describe('Browser origins that may call the API besides its own; separated by commas in the environment.'),
  logLevel: z.enum(['debug', 'info', 'warn', 'error']).default('info').describe('Least level that is logged.'),
  logFormat: z.enum(['json', 'pretty']).default('json').describe('One JSON object per line, or lines for people.'),
  watchdogIntervalSecs: seconds(1, 60)
    .default(1)
    .describe('Pause between two watchdog ticks: lost dispatches, expired leases, due retries, overdue sleeps.'),
  watchdogBatchSize: z
    .int()
    .min(1)
    .max(1000)
    .default(100)
    .describe('Rows of the due index the watchdog reads at once.'),
  schedulerMaxWorkflowsPerTick: z
    .int()
    .min(1)
    .max(10_000)
    .default(1_000)
    .describe('Runs that schedules start in one watchdog tick; the rest come in the next.'),
  watchdogWorkerStaleThresholdSecs: seconds(2, 3600)
    .default(30)
    .describe('A worker silent for this long is OFFLINE and its runs go to others.'),
  workerPollTimeoutSecs: seconds(1, HTTP_POLL_LIMIT_SECS)
    .default(HTTP_POLL_LIMIT_SECS)
    .describe(
      'How long a poll waits for work. At most 20, where the original allows 60: the HTTP API in the cloud ends every request after 30 seconds, and both answer alike.',
    ),
  workerHeartbeatIntervalSecs: seconds(1, 1800)
    .default(10)
    .describe('Heartbeat interval that register tells workers. Shorter than the lease and the stale threshold.'),
  leaseSecs: seconds(2, 3600).default(30).describe('How long a claim holds without renewal.'),
  payloadWarnThresholdBytes: z
    .int()
    .min(1)
    .max(PAYLOAD_LIMIT_BYTES)
    .default(1_048_576)
    .describe('Payloads from this size on are accepted with a warning; above the maximum it never warns.'),
  payloadMaxSizeBytes: z
    .int()
    .min(1024)
    .max(PAYLOAD_LIMIT_BYTES)
    .default(PAYLOAD_LIMIT_BYTES)
    .describe('Larger payloads are refused with 413. May be lowered, not raised.'),
  retentionDays: z
    .int()
    .min(1)
    .max(3650)
    .default(30)
    .describe('Days a finished run is kept, and its external id with it.'),
  queueMaxReceives: z
    .int()
    .min(1)
    .max(1000)
    .default(5)
    .describe('Deliveries of a message before it becomes a dead letter.'),
  shutdownGraceSecs: seconds(0, 600)
    .default(10)
    .describe('How long requests in flight may take to finish after SIGINT or SIGTERM.'),
  serveExamples: z
    .enum(['on', 'off'])
    .default('on')
    .describe('Whether `npm start` serves the workflows in `examples/`; `kagzi dev` serves the file it is given.'),
});

export type Settings = Readonly<z.infer<typeof settingsSchema>>;
export type SettingKey = keyof Settings;

/** The environment variable of a key. */
export const variableOf = (key: string): string =>
  `KAGZI_${key.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;

export const CONFIG_FILE_VARIABLE = 'KAGZI_CONFIG_FILE';
export const SECRET_KEYS: ReadonlySet<string> = new Set<SettingKey>(['apiToken', 'adminToken']);

/** Variables of the original server that do nothing here, with the reason. */
export const WITHOUT_MEANING: Readonly<Record<string, string>> = {
  KAGZI_DB_URL: 'there is no database server; the data is in KAGZI_DATA_DIR',
  KAGZI_SERVER_DB_MAX_CONNECTIONS: 'the store is embedded and has one writer, so there is no connection pool',
  KAGZI_SCHEDULER_INTERVAL_SECS:
    'sleeps and schedules are served by timers, and by the watchdog (KAGZI_WATCHDOG_INTERVAL_SECS) where those fail',
  KAGZI_SCHEDULER_BATCH_SIZE: 'overdue sleeps and schedules are part of the watchdog batch (KAGZI_WATCHDOG_BATCH_SIZE)',
  KAGZI_POLL_TIMEOUT_SECS: 'the name is KAGZI_WORKER_POLL_TIMEOUT_SECS',
};
