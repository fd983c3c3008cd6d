import { writeFileSync } from 'node:fs';
import { allPages } from '../all-pages.ts';
import { defineCommand } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { readRunId } from '../read-run-id.ts';
import { runPath, type WirePage } from '../wire.ts';

interface ExportPage extends WirePage {
  readonly steps: readonly unknown[];
}

export const exportRun = defineCommand({
  name: 'export',
  args: ['<run>'],
  summary: 'A finished run with all its steps and payloads, as JSON',
  options: { output: { type: 'string', short: 'o', value: 'FILE', help: 'write it to a file' } },
  notes: ['`kagzi replay` checks an export against your code.'],
  async run(terminal, [runId = ''], { output }) {
    let first: ExportPage | undefined;
    const { rows } = await allPages(
      terminal.connect(),
      { path: `${runPath(readRunId(runId))}/export`, query: { page_size: undefined } },
      (page: ExportPage) => {
        first ??= page;
        return page.steps;
      },
    );
    const text = JSON.stringify({ ...first, steps: rows, next_page_token: null }, null, 2);
    if (output === undefined) terminal.print(text);
    else writeFileSync(output, `${text}\n`);
    return EXIT.ok;
  },
});
