/** The number of letters to change, insert or leave out. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [i, letter] of a.split('').entries()) {
    const next = [i + 1];
    for (const [j, other] of b.split('').entries()) {
      const changed = (row[j] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(changed, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

const LEAST_SHARED = 3;

/** The same first letters, or one inside the other: `retries` and `retry`, `maxAttempts` and `attempts`. */
function isAkin(a: string, b: string): boolean {
  if (Math.min(a.length, b.length) < LEAST_SHARED) return false;
  return a.includes(b) || b.includes(a) || a.slice(0, LEAST_SHARED) === b.slice(0, LEAST_SHARED);
}

const isNear = (name: string, far: number): boolean =>
  far <= (name.length < 4 ? 1 : Math.max(2, Math.floor(name.length / 3)));

/** ` Did you mean …?`, if something is near enough to what was typed. */
export function suggest(typed: string, known: readonly string[], prefix = ''): string {
  const lower = typed.toLowerCase();
  const [best] = known
    .map((name) => ({ name, far: distance(lower, name.toLowerCase()) }))
    .filter(({ name, far }) => isNear(name, far) || isAkin(lower, name.toLowerCase()))
    .sort((a, b) => a.far - b.far);
  return best === undefined ? '' : ` Did you mean \`${prefix}${best.name}\`?`;
}
