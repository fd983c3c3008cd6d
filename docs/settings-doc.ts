import { accepts, SETTING_FIELDS, type SettingField } from '../local/setting-fields.ts';
import { CONFIG_FILE_VARIABLE, WITHOUT_MEANING } from '../local/settings-schema.ts';

const cell = (text: string): string => text.replaceAll('|', '\\|');
const row = (...cells: readonly string[]): string => `| ${cells.map(cell).join(' | ')} |`;
const code = (text: string): string => `\`${text}\``;

const defaultOf = ({ default: value }: SettingField): string => {
  if (typeof value === 'string') return code(value);
  return typeof value === 'number' ? code(value.toString()) : 'none';
};

/** The text of docs/settings.md. */
export const settingsDoc = (): string =>
  [
    '# Settings of the one-machine server',
    '',
    '<!-- Written by `npm run docs:settings` from local/settings-schema.ts; edit that. -->',
    '',
    'Settings come from environment variables and from a JSON file, one flat object with the keys below:',
    '`KAGZI_CONFIG_FILE=kagzi.json` and `{ "serverPort": 8750 }`. The environment wins; an empty variable counts as not set.',
    'They are checked at start: one message names every wrong one, unknown keys of the file included, and the server',
    'does not start. Variables that begin with `KAGZI_` and mean nothing here are warned about.',
    '',
    row('Variable', 'Key in the file', 'Value', 'Default', 'Meaning'),
    row('---', '---', '---', '---', '---'),
    row(code(CONFIG_FILE_VARIABLE), 'not in the file', 'path', 'none', 'The JSON file to read.'),
    ...SETTING_FIELDS.map((field) =>
      row(code(field.variable), code(field.key), accepts(field), defaultOf(field), field.description),
    ),
    '',
    '## Rules between settings',
    '',
    '- A host other than `localhost`, `127.x.x.x` or `::1` needs `KAGZI_API_TOKEN`.',
    '- The heartbeat interval is less than the lease and less than the stale threshold.',
    '',
    '## Variables without meaning here',
    '',
    'Known from the original server; setting one is a warning, not an error.',
    '',
    row('Variable', 'Why'),
    row('---', '---'),
    ...Object.entries(WITHOUT_MEANING).map(([name, why]) => row(code(name), why)),
    '',
  ].join('\n');
