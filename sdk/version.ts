/** Of this SDK; engines say which is the oldest they serve. */
export const SDK_VERSION = '0.1.0';

const numbers = (version: string): number[] => version.split('.').map((part) => Number.parseInt(part, 10) || 0);

export function isOlder(version: string, than: string): boolean {
  const [mine, theirs] = [numbers(version), numbers(than)];
  for (let part = 0; part < 3; part++) {
    const difference = (mine[part] ?? 0) - (theirs[part] ?? 0);
    if (difference !== 0) return difference < 0;
  }
  return false;
}
