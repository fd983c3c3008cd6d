/** Whether a record fits the pattern of a filter: at its leaves are lists of the texts that will do. */
export function matchesPattern(pattern: unknown, value: unknown): boolean {
  if (Array.isArray(pattern)) {
    const odd = pattern.find((choice) => typeof choice !== 'string');
    if (odd !== undefined) throw new Error(`the test bed does not know the filter ${JSON.stringify(odd)}`);
    return pattern.includes(value);
  }
  const fields = Object.entries(pattern as Readonly<Record<string, unknown>>);
  if (typeof value !== 'object' || value === null) return false;
  return fields.every(([name, inner]) => matchesPattern(inner, (value as Readonly<Record<string, unknown>>)[name]));
}
