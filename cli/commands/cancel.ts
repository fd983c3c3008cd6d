import { defineCommand, printJson } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { readDuration } from '../read-duration.ts';
import { readRunId } from '../read-run-id.ts';
import { runPath, type WireRun } from '../wire.ts';

export const cancel = defineCommand({
  name: 'cancel',
  args: ['<run>'],
  summary: 'Cancel a run and its children',
  options: {
    grace: { type: 'string', value: 'TIME', help: 'let the workflow clean up for this long, such as 30s' },
    reason: { type: 'string', value: 'TEXT', help: 'kept with the run' },
  },
  async run(terminal, [runId = ''], { grace, reason }) {
    const body = { reason, grace_ms: grace === undefined ? undefined : readDuration('grace', grace) };
    const run = await terminal.connect().call<WireRun>({ path: `${runPath(readRunId(runId))}/cancel`, body });
    if (terminal.json) printJson(terminal, run);
    else terminal.print(run.status === 'CANCELLED' ? 'CANCELLED' : `${run.status}, told to end within ${grace}`);
    return EXIT.ok;
  },
});
