/** In 2286: keys hold times as thirteen digits, and later ones would sort before all others. */
const LAST_INSTANT = 9_999_999_999_999;

/** The nearest time that can be stored and shown. */
export const storableInstant = (ms: number): number => Math.min(Math.max(0, Math.floor(ms)), LAST_INSTANT);
