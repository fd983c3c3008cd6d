import { type Check, isFunction, isName, isText } from '../check-options.ts';

/** How each option is checked that says where an engine is and who calls it. What proves the caller is checked by itself. */
export const CONNECTION = {
  url: isText,
  namespace: isName('namespace'),
  fetch: isFunction,
  token: isText,
  credentials: () => undefined,
  region: isText,
  sign: isFunction,
} as const satisfies Readonly<Record<string, Check>>;
