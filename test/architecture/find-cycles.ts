/** One path per knot of files that import each other, its first file repeated at the end. */
export const findCycles = (graph: ReadonlyMap<string, readonly string[]>): readonly (readonly string[])[] => {
  const cycles: string[][] = [];
  const done = new Set<string>();
  const path: string[] = [];

  const visit = (file: string): void => {
    const start = path.indexOf(file);
    if (start >= 0) {
      cycles.push([...path.slice(start), file]);
      return;
    }
    if (done.has(file)) return;
    path.push(file);
    for (const target of graph.get(file) ?? []) visit(target);
    path.pop();
    done.add(file);
  };

  for (const file of [...graph.keys()].sort()) visit(file);
  return cycles;
};
