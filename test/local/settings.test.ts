import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { settingsDoc } from '../../docs/settings-doc.ts';
import { loadSettings, SettingsError } from '../../local/settings.ts';

const noFile = (): string => {
  throw new Error('no file was expected to be read');
};
const fromEnv = (env: Record<string, string>) => loadSettings(env, noFile);
const fromFile = (values: unknown, env: Record<string, string> = {}) =>
  loadSettings({ KAGZI_CONFIG_FILE: 'kagzi.json', ...env }, () => JSON.stringify(values));
const problemsOf = (load: () => unknown): readonly string[] => {
  try {
    load();
  } catch (error) {
    if (error instanceof SettingsError) return error.problems;
    throw error;
  }
  return [];
};

describe('settings', () => {
  it('have a default each', () => {
    expect(fromEnv({})).toEqual({
      settings: {
        serverHost: '127.0.0.1',
        serverPort: 8750,
        dataDir: '.kagzi',
        allowedOrigins: [],
        logLevel: 'info',
        logFormat: 'json',
        watchdogIntervalSecs: 1,
        watchdogBatchSize: 100,
        schedulerMaxWorkflowsPerTick: 1000,
        watchdogWorkerStaleThresholdSecs: 30,
        workerPollTimeoutSecs: 20,
        workerHeartbeatIntervalSecs: 10,
        leaseSecs: 30,
        payloadWarnThresholdBytes: 1_048_576,
        payloadMaxSizeBytes: 2_097_152,
        retentionDays: 30,
        queueMaxReceives: 5,
        shutdownGraceSecs: 10,
        serveExamples: 'on',
      },
      warnings: [],
    });
  });

  it('come from the environment', () => {
    const { settings } = fromEnv({
      KAGZI_SERVER_PORT: '9000',
      KAGZI_LOG_FORMAT: 'pretty',
      KAGZI_ALLOWED_ORIGINS: 'http://localhost:3000, https://console.example.com',
    });
    expect(settings).toMatchObject({
      serverPort: 9000,
      logFormat: 'pretty',
      allowedOrigins: ['http://localhost:3000', 'https://console.example.com'],
    });
  });

  it('come from a JSON file under the same names', () => {
    const { settings } = fromFile({ serverPort: 9000, allowedOrigins: ['http://localhost:3000'], retentionDays: 7 });
    expect(settings).toMatchObject({
      serverPort: 9000,
      allowedOrigins: ['http://localhost:3000'],
      retentionDays: 7,
      leaseSecs: 30,
    });
  });

  it('of the environment win over those of the file', () => {
    const { settings } = fromFile({ serverPort: 9000, retentionDays: 7 }, { KAGZI_SERVER_PORT: '9001' });
    expect(settings).toMatchObject({ serverPort: 9001, retentionDays: 7 });
  });

  it('of the environment save a wrong one in the file, which is not used', () => {
    expect(fromFile({ serverPort: 'x' }, { KAGZI_SERVER_PORT: '9001' }).settings.serverPort).toBe(9001);
  });

  it('that are empty variables count as not set', () => {
    expect(fromFile({ serverPort: 9000 }, { KAGZI_SERVER_PORT: '' }).settings.serverPort).toBe(9000);
  });
});

describe('wrong settings', () => {
  it('are all named in one error', () => {
    const load = () =>
      fromFile(
        { serverPort: '8750', retentiondays: 7, logFormat: 'xml', dataDir: '' },
        { KAGZI_LEASE_SECS: 'soon', KAGZI_LOG_LEVEL: 'loud', KAGZI_WORKER_POLL_TIMEOUT_SECS: '60' },
      );
    expect(problemsOf(load)).toEqual([
      'retentiondays (configuration file): no setting has this name',
      'serverPort (configuration file): expected integer from 0 to 65535, got "8750"',
      'dataDir (configuration file): expected text, got ""',
      'KAGZI_LOG_LEVEL: expected one of debug, info, warn, error, got "loud"',
      'logFormat (configuration file): expected one of json, pretty, got "xml"',
      'KAGZI_WORKER_POLL_TIMEOUT_SECS: expected integer from 1 to 20, got 60',
      'KAGZI_LEASE_SECS: expected integer from 2 to 3600, got "soon"',
    ]);
  });

  it.each(['1.5', '1e3', '0x10', ' ', '-1', '65536', '99999999999999999999'])('refuse the port %j', (port) => {
    expect(problemsOf(() => fromEnv({ KAGZI_SERVER_PORT: port }))).toHaveLength(1);
  });

  it.each(['*', 'null', 'localhost:3000', 'http://localhost:3000/path'])('refuse the origin %j', (origin) => {
    expect(problemsOf(() => fromEnv({ KAGZI_ALLOWED_ORIGINS: origin }))).toEqual([
      `KAGZI_ALLOWED_ORIGINS: expected list of origins, got ["${origin}"]`,
    ]);
  });

  it('allow a smaller payload maximum, never a larger one', () => {
    expect(fromEnv({ KAGZI_PAYLOAD_MAX_SIZE_BYTES: '65536' }).settings.payloadMaxSizeBytes).toBe(65_536);
    expect(problemsOf(() => fromEnv({ KAGZI_PAYLOAD_MAX_SIZE_BYTES: '2097153' }))).toHaveLength(1);
  });

  it('say when the file cannot be read, is not JSON or is not an object', () => {
    const missing = () => loadSettings({ KAGZI_CONFIG_FILE: 'x.json' }, noFile);
    expect(problemsOf(missing)).toEqual(['KAGZI_CONFIG_FILE: cannot read x.json: no file was expected to be read']);
    expect(problemsOf(() => fromFile(['serverPort']))).toEqual([
      'KAGZI_CONFIG_FILE: kagzi.json must hold one JSON object',
    ]);
    const broken = () => loadSettings({ KAGZI_CONFIG_FILE: 'x.json' }, () => '{"apiToken": "secret-secret-secret"');
    expect(problemsOf(broken)).toEqual(['KAGZI_CONFIG_FILE: cannot read x.json: it is not valid JSON']);
  });

  it('never show the token', () => {
    expect(problemsOf(() => fromEnv({ KAGZI_SERVER_HOST: '0.0.0.0', KAGZI_API_TOKEN: 'hunter2' }))).toEqual([
      'KAGZI_API_TOKEN: expected text of at least 16 characters',
    ]);
  });
});

describe('rules between settings', () => {
  it.each(['0.0.0.0', '::', '10.0.0.7', 'example.com', '127.0.0.1.example.com'])(
    'host %s wants a token',
    (KAGZI_SERVER_HOST) => {
      expect(problemsOf(() => fromEnv({ KAGZI_SERVER_HOST }))).toEqual([
        'KAGZI_API_TOKEN: required, because KAGZI_SERVER_HOST is not loopback',
      ]);
      const withToken = fromEnv({ KAGZI_SERVER_HOST, KAGZI_API_TOKEN: '0123456789abcdef' });
      expect(withToken.settings.apiToken).toBe('0123456789abcdef');
    },
  );

  it.each(['127.0.0.1', '127.1.2.3', '::1', 'localhost'])('host %s does not', (KAGZI_SERVER_HOST) => {
    expect(fromEnv({ KAGZI_SERVER_HOST }).settings.serverHost).toBe(KAGZI_SERVER_HOST);
  });

  it('heartbeats come faster than the lease and the stale threshold end', () => {
    expect(problemsOf(() => fromEnv({ KAGZI_WORKER_HEARTBEAT_INTERVAL_SECS: '30' }))).toEqual([
      'KAGZI_WORKER_HEARTBEAT_INTERVAL_SECS (30): must be less than KAGZI_WATCHDOG_WORKER_STALE_THRESHOLD_SECS (30)',
      'KAGZI_WORKER_HEARTBEAT_INTERVAL_SECS (30): must be less than KAGZI_LEASE_SECS (30)',
    ]);
  });

  it('are not judged on a value that is wrong already', () => {
    const env = { KAGZI_WORKER_HEARTBEAT_INTERVAL_SECS: '29', KAGZI_LEASE_SECS: '1' };
    expect(problemsOf(() => fromEnv(env))).toEqual(['KAGZI_LEASE_SECS: expected integer from 2 to 3600, got 1']);
  });
});

describe('warnings', () => {
  it('say why a variable of the original server does nothing here', () => {
    expect(fromEnv({ KAGZI_DB_URL: 'postgres://user:password@host/db' }).warnings).toEqual([
      'KAGZI_DB_URL is ignored: there is no database server; the data is in KAGZI_DATA_DIR',
    ]);
    expect(fromEnv({ KAGZI_SCHEDULER_INTERVAL_SECS: '5' }).warnings[0]).toContain('KAGZI_WATCHDOG_INTERVAL_SECS');
  });

  it('name variables nobody knows, and leave those of others alone', () => {
    expect(fromEnv({ KAGZI_SERVER_PROT: '1', PATH: '/bin', KAGZI_EMPTY: '' }).warnings).toEqual([
      'KAGZI_SERVER_PROT is ignored: no setting has this name',
    ]);
  });
});

describe('docs/settings.md', () => {
  it('is what `npm run docs:settings` writes', () => {
    const committed = readFileSync(new URL('../../docs/settings.md', import.meta.url), 'utf8');
    expect(committed).toBe(settingsDoc());
  });
});
