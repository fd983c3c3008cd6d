import type { Engine } from '../../shared/store/engine.ts';

export interface ServedType {
  readonly workflowType: string;
  readonly versions: readonly string[];
  /** An input to try it with, as JSON. */
  readonly example: string | undefined;
}

/** What a worker in the process of an engine takes from which queue. */
interface Served {
  readonly namespace: string;
  readonly taskQueue: string;
  readonly types: readonly ServedType[];
}

const servedBy = new WeakMap<Engine, Set<Served>>();

/** Until the function it answers is called. */
export function noteServed(engine: Engine, served: Served): () => void {
  const all = servedBy.get(engine) ?? new Set();
  servedBy.set(engine, all);
  all.add(served);
  return () => void all.delete(served);
}

/** Of two workers that serve one type from one queue, as while code is loaded anew, the younger one counts. */
export function servedHere(
  engine: Engine,
  namespace: string,
): readonly (ServedType & { readonly taskQueue: string })[] {
  const found = new Map<string, ServedType & { readonly taskQueue: string }>();
  for (const served of servedBy.get(engine) ?? []) {
    if (served.namespace !== namespace) continue;
    const { taskQueue } = served;
    for (const type of served.types) found.set(`${taskQueue}/${type.workflowType}`, { ...type, taskQueue });
  }
  return [...found.values()];
}
