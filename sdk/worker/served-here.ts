import type { Engine } from '../../shared/store/engine.ts';

/** What a worker in the process of an engine takes from which queue. */
interface Served {
  readonly namespace: string;
  readonly taskQueue: string;
  readonly types: readonly string[];
}

const servedBy = new WeakMap<Engine, Set<Served>>();

/** Until the function it answers is called. */
export function noteServed(engine: Engine, served: Served): () => void {
  const all = servedBy.get(engine) ?? new Set();
  servedBy.set(engine, all);
  all.add(served);
  return () => void all.delete(served);
}

export const servedHere = (engine: Engine, namespace: string, taskQueue: string): readonly string[] => [
  ...new Set(
    [...(servedBy.get(engine) ?? [])]
      .filter((served) => served.namespace === namespace && served.taskQueue === taskQueue)
      .flatMap(({ types }) => types),
  ),
];
