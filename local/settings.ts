import { accepts, SETTING_FIELDS, type SettingField } from './setting-fields.ts';
import { settingProblems } from './settings-rules.ts';
import {
  CONFIG_FILE_VARIABLE,
  SECRET_KEYS,
  type Settings,
  settingsSchema,
  WITHOUT_MEANING,
} from './settings-schema.ts';

export type { Settings } from './settings-schema.ts';

export class SettingsError extends Error {
  override readonly name = 'SettingsError';
  constructor(readonly problems: readonly string[]) {
    super(
      ['Settings are wrong (docs/settings.md lists them all):', ...problems.map((problem) => `  - ${problem}`)].join(
        '\n',
      ),
    );
  }
}

type Env = Readonly<Record<string, string | undefined>>;
type FileValues = Readonly<Record<string, unknown>>;

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const readConfigFile = (
  path: string | undefined,
  readFile: (path: string) => string,
  problems: string[],
): FileValues => {
  if (!path) return {};
  try {
    const values: unknown = JSON.parse(readFile(path));
    if (typeof values === 'object' && values !== null && !Array.isArray(values)) return values as FileValues;
    problems.push(`${CONFIG_FILE_VARIABLE}: ${path} must hold one JSON object`);
  } catch (error) {
    // A SyntaxError quotes the text, which may hold the token.
    const reason = error instanceof SyntaxError ? 'it is not valid JSON' : messageOf(error);
    problems.push(`${CONFIG_FILE_VARIABLE}: cannot read ${path}: ${reason}`);
  }
  return {};
};

const fromText = (field: SettingField, text: string): unknown => {
  if (field.type === 'integer') return /^-?\d+$/.test(text.trim()) ? Number(text) : text;
  if (field.type !== 'array') return text;
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
};

const shown = (field: SettingField, value: unknown): string =>
  SECRET_KEYS.has(field.key) ? '' : `, got ${JSON.stringify(value)}`;

const warningsOf = (env: Env): string[] => {
  const known = new Set([CONFIG_FILE_VARIABLE, ...SETTING_FIELDS.map((field) => field.variable)]);
  return Object.keys(env)
    .filter((name) => name.startsWith('KAGZI_') && !known.has(name) && env[name])
    .sort()
    .map((name) => `${name} is ignored: ${WITHOUT_MEANING[name] ?? 'no setting has this name'}`);
};

/** An empty variable counts as not set. Throws one SettingsError that names everything wrong. */
export const loadSettings = (
  env: Env,
  readFile: (path: string) => string,
): { readonly settings: Settings; readonly warnings: readonly string[] } => {
  const problems: string[] = [];
  const file = readConfigFile(env[CONFIG_FILE_VARIABLE], readFile, problems);
  const keys = new Set<string>(SETTING_FIELDS.map((field) => field.key));
  for (const key of Object.keys(file)) {
    if (!keys.has(key)) problems.push(`${key} (configuration file): no setting has this name`);
  }

  const values: Record<string, unknown> = {};
  for (const field of SETTING_FIELDS) {
    const text = env[field.variable];
    const value = text ? fromText(field, text) : Object.hasOwn(file, field.key) ? file[field.key] : undefined;
    const parsed = settingsSchema.shape[field.key].safeParse(value);
    if (parsed.success) values[field.key] = parsed.data;
    else {
      const source = text ? field.variable : `${field.key} (configuration file)`;
      problems.push(`${source}: expected ${accepts(field)}${shown(field, value)}`);
    }
  }
  problems.push(...settingProblems(values));
  if (problems.length > 0) throw new SettingsError(problems);
  return { settings: settingsSchema.parse(values), warnings: warningsOf(env) };
};
