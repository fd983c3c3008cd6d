/** For an input of the browser, in its zone. */
export function localText(at: number | string): string {
  const date = new Date(at);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}

export const zoneHere = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;
