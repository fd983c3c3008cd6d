/** Kept for this tab alone: storage of the session is shared with no other origin, port included. */
const KEY = 'kagzi-token';
const IN_ADDRESS = /^#token=([\w-]+)(?:&namespace=([\w.-]+))?$/;

/** `kagzi console` hands the token over in the fragment, which never leaves the browser. */
export function adoptToken(): void {
  const [, given, namespace = ''] = IN_ADDRESS.exec(location.hash) ?? [];
  if (given === undefined) return;
  sessionStorage.setItem(KEY, given);
  history.replaceState(null, '', `${location.pathname}#/${namespace}`);
}

export const readToken = (): string | null => sessionStorage.getItem(KEY);
export const keepToken = (token: string): void => sessionStorage.setItem(KEY, token);
