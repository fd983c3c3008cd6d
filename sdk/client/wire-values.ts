export const date = (text: string | null): Date | null => (text === null ? null : new Date(text));
/** Absent is not null: what was never given has no text. */
export const textOf = (value: unknown): string | undefined => (value === undefined ? undefined : JSON.stringify(value));
export const jsonOf = (text: string | undefined): unknown =>
  text === undefined ? undefined : (JSON.parse(text) as unknown);
