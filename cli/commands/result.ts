import { defineCommand } from '../command.ts';
import { readDuration } from '../read-duration.ts';
import { readRunId } from '../read-run-id.ts';
import { reportEnd, waitForRun } from '../wait-for-run.ts';

export const result = defineCommand({
  name: 'result',
  args: ['<run>'],
  summary: 'Wait for the end of a run and print its output',
  options: { timeout: { type: 'string', value: 'TIME', help: 'wait at most this long; the run goes on' } },
  async run(terminal, [runId = ''], { timeout }) {
    const timeoutMs = timeout === undefined ? Number.POSITIVE_INFINITY : readDuration('timeout', timeout);
    return reportEnd(terminal, await waitForRun(terminal, readRunId(runId), timeoutMs));
  },
});
