const TAG = '$kagzi';

interface Tagged {
  readonly [TAG]: string;
  readonly value?: unknown;
}

const isTagged = (value: unknown): value is Tagged =>
  typeof value === 'object' && value !== null && typeof (value as Partial<Tagged>)[TAG] === 'string';

/** Indented. What the SDK stores in a form of its own, as a date, is shown as what it holds. */
export const readableJson = (value: unknown): string =>
  JSON.stringify(value, (_name, inner: unknown) => (isTagged(inner) ? (inner.value ?? `(${inner[TAG]})`) : inner), 2) ??
  '';

export const rawJson = (value: unknown): string => JSON.stringify(value, null, 2) ?? '';
