/** The alphabets of names keep keys injective and path segments harmless. */
export const NAMES = {
  namespace: {
    pattern: /^[a-z0-9][a-z0-9._-]{0,62}$/,
    problem: 'is no namespace: 1 to 63 lower-case letters, digits, dots, underscores and hyphens',
  },
  taskQueue: {
    pattern: /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/,
    problem: 'is no task queue: 1 to 64 letters, digits, underscores and hyphens',
  },
  workflowType: {
    pattern: /^[A-Za-z0-9][A-Za-z0-9._:/-]{0,127}$/,
    problem: 'is no workflow type: 1 to 128 letters, digits and . _ : / -, beginning with a letter or digit',
  },
  version: {
    pattern: /^[A-Za-z0-9][A-Za-z0-9._-]{0,31}$/,
    problem: 'is no version: 1 to 32 letters, digits, dots, underscores and hyphens',
  },
  scheduleId: {
    pattern: /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/,
    problem:
      'is no schedule id: 1 to 100 letters, digits, dots, underscores and hyphens, beginning with a letter or digit',
  },
} as const;

/** Free text without control characters and lone surrogates. */
export const TEXT = /^[^\p{Cc}\p{Cs}]+$/u;
export const MAX_EXTERNAL_ID = 256;

/** What is wrong with a name, for people; null if nothing is. */
export function nameProblem(what: keyof typeof NAMES, name: string): string | null {
  const { pattern, problem } = NAMES[what];
  return typeof name === 'string' && pattern.test(name) ? null : `${shown(name)} ${problem}`;
}

export const externalIdProblem = (id: string): string | null =>
  typeof id === 'string' && id.length <= MAX_EXTERNAL_ID && TEXT.test(id)
    ? null
    : `${shown(id)} is no external id: 1 to ${MAX_EXTERNAL_ID} characters, without control characters and lone surrogates`;

const shown = (name: string): string => (JSON.stringify(name) ?? typeof name).slice(0, 100);
