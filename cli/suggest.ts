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

/** ` Did you mean …?`, if something is near enough to what was typed. */
export function suggest(typed: string, known: readonly string[], prefix = ''): string {
  const [best] = known
    .map((name) => ({ name, far: name.startsWith(typed) && typed.length > 1 ? 0 : distance(typed, name) }))
    .filter(({ name, far }) => far <= (name.length < 4 ? 1 : Math.max(2, Math.floor(name.length / 3))))
    .sort((a, b) => a.far - b.far);
  return best === undefined ? '' : ` Did you mean \`${prefix}${best.name}\`?`;
}
