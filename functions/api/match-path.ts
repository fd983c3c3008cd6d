/** The decoded parameters of a path that fits the template; null for one that does not. */
export function matchPath(template: string, path: string): Record<string, string> | null {
  const wanted = template.split('/');
  const given = path.split('/');
  if (wanted.length !== given.length) return null;
  const params: [string, string][] = [];
  for (const [index, part] of wanted.entries()) {
    const value = given[index] ?? '';
    const name = /^\{(\w+)\}$/.exec(part)?.[1];
    if (name === undefined && part !== value) return null;
    if (name === undefined) continue;
    const decoded = decodePart(value);
    if (decoded === null || decoded === '') return null;
    params.push([name, decoded]);
  }
  return Object.fromEntries(params);
}

function decodePart(part: string): string | null {
  try {
    return decodeURIComponent(part);
  } catch {
    return null;
  }
}
