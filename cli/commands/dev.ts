import { defineCommand } from '../command.ts';
import { EXIT } from '../exit-codes.ts';

/** Short, because a run of a process that was killed goes on when its lease ends. */
const DEFAULTS = {
  KAGZI_LEASE_SECS: '5',
  KAGZI_WORKER_HEARTBEAT_INTERVAL_SECS: '2',
  KAGZI_WATCHDOG_WORKER_STALE_THRESHOLD_SECS: '5',
  KAGZI_LOG_FORMAT: 'pretty',
  KAGZI_LOG_LEVEL: 'warn',
};

export const dev = defineCommand({
  name: 'dev',
  args: ['<file>'],
  local: true,
  summary: 'Run an engine here and serve the workflows of a file, loaded anew when it changes',
  options: {
    port: { type: 'string', value: 'PORT', help: '8750 if not given; 0 takes a free one' },
    data: { type: 'string', value: 'DIR', help: 'where everything is kept; .kagzi if not given' },
    unchecked: { type: 'boolean', help: 'do not replay every completed run to see whether its code is deterministic' },
  },
  notes: ['Every setting of the server (docs/settings.md) can be given in the environment.'],
  async run({ env }, [file = ''], { port, data, unchecked }) {
    const given = Object.entries(env).filter(([, value]) => value !== '');
    const chosen = {
      ...(port === undefined ? {} : { KAGZI_SERVER_PORT: port }),
      ...(data === undefined ? {} : { KAGZI_DATA_DIR: data }),
    };
    // Only here: the other commands start faster without an engine.
    const { runServer } = await import('../../local/run-server.ts');
    const settings = { ...DEFAULTS, ...Object.fromEntries(given), ...chosen };
    await runServer({
      env: settings,
      workflows: () => [file],
      workflowLogLevel: 'info',
      checkReplays: unchecked !== true,
      logErrors: true,
    });
    return EXIT.ok;
  },
});
