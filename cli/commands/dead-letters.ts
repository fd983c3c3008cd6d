import { allPages } from '../all-pages.ts';
import { defineCommand, printJson, type Terminal } from '../command.ts';
import { CliError, EXIT } from '../exit-codes.ts';
import { showTime } from '../show-time.ts';
import { textTable } from '../text-table.ts';
import type { WireDeadLetter, WirePage } from '../wire.ts';

export const deadLetters = defineCommand({
  name: 'dead-letters',
  args: ['[redrive]', '[id]'],
  summary: 'List messages that were delivered too often, or send one again',
  async run(terminal, [action, id]) {
    if (action === undefined) await listAll(terminal);
    else if (action === 'redrive' && id !== undefined) await redrive(terminal, id);
    else throw new CliError('Usage: kagzi dead-letters, or kagzi dead-letters redrive <id>');
    return EXIT.ok;
  },
});

async function listAll(terminal: Terminal): Promise<void> {
  const { rows } = await allPages(
    terminal.connect(),
    { path: '/dead-letters' },
    (page: WirePage & { readonly dead_letters: readonly WireDeadLetter[] }) => page.dead_letters,
  );
  if (terminal.json) printJson(terminal, { dead_letters: rows });
  else terminal.print(rows.length === 0 ? 'No dead letters.' : showLetters(rows));
}

async function redrive(terminal: Terminal, id: string): Promise<void> {
  const path = `/dead-letters/${encodeURIComponent(id)}/redrive`;
  const letter = await terminal.connect().call<WireDeadLetter>({ method: 'POST', path });
  if (terminal.json) printJson(terminal, letter);
  else terminal.print(`Sent again to the queue ${letter.task_queue}.`);
}

const showLetters = (rows: readonly WireDeadLetter[]): string =>
  textTable(rows, [
    { title: 'ID', of: (letter) => letter.id },
    { title: 'QUEUE', of: (letter) => letter.task_queue },
    { title: 'WORKFLOW', of: (letter) => letter.workflow_type },
    { title: 'RUN', of: (letter) => letter.run_id ?? '' },
    { title: 'DIED', of: (letter) => showTime(letter.died_at) },
  ]);
