import { randomUUID } from 'node:crypto';
import type { HttpApi } from '../../sdk/client/http-api.ts';
import { defineCommand, printJson, type Terminal } from '../command.ts';
import { CliError, EXIT } from '../exit-codes.ts';
import { readDuration } from '../read-duration.ts';
import { readInput } from '../read-input.ts';
import { reportEnd, waitForRun } from '../wait-for-run.ts';
import { unservedHint } from '../who-serves.ts';
import { runPath, type WireRun } from '../wire.ts';

interface Started {
  readonly run_id: string;
  readonly already_exists: boolean;
}

export const start = defineCommand({
  name: 'start',
  args: ['<workflow-type>'],
  summary: 'Start a run; prints its id, or with --wait its output',
  options: {
    input: { type: 'string', short: 'i', value: 'JSON', help: 'the input; @file reads a file, - standard input' },
    'external-id': { type: 'string', value: 'ID', help: 'the same id always means the same run' },
    queue: { type: 'string', value: 'NAME', help: 'task queue; `default` if not given' },
    version: { type: 'string', value: 'V', help: 'version of the workflow; 1 if not given' },
    delay: { type: 'string', value: 'TIME', help: 'start after this long, such as 30s or "2 days"' },
    wait: { type: 'boolean', short: 'w', help: 'wait for the end and show progress' },
    timeout: { type: 'string', value: 'TIME', help: 'wait at most this long; the run goes on' },
  },
  async run(terminal, [workflowType = ''], values) {
    if (values.timeout !== undefined && values.wait !== true) throw new CliError('--timeout needs --wait.');
    const timeoutMs = values.timeout === undefined ? Number.POSITIVE_INFINITY : readDuration('timeout', values.timeout);
    const body = {
      workflow_type: workflowType,
      input: values.input === undefined ? undefined : readInput(values.input),
      external_id: values['external-id'],
      // So that a start whose answer was lost can be sent again.
      request_id: randomUUID(),
      task_queue: values.queue,
      version: values.version,
      delay_ms: values.delay === undefined ? undefined : readDuration('delay', values.delay),
    };
    const api = terminal.connect();
    const started = await api.call<Started>({ path: '/runs', body });
    if (started.already_exists) terminal.note('This external id has a run already.');
    if (values.wait === true) {
      terminal.note(`run ${started.run_id}`);
      return reportEnd(terminal, await waitForRun(terminal, started.run_id, timeoutMs));
    }
    if (terminal.json) printJson(terminal, started);
    else terminal.print(started.run_id);
    await sayUnserved(terminal, api, started.run_id);
    return EXIT.ok;
  },
});

/** Somebody who mistyped the workflow would otherwise wait for nothing. */
async function sayUnserved(terminal: Terminal, api: HttpApi, runId: string): Promise<void> {
  if (terminal.json) return;
  const hint = await unservedHint(api, await api.call<WireRun>({ path: runPath(runId) }));
  if (hint !== null) terminal.note(hint);
}
