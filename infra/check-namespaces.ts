import { nameProblem } from '../shared/model/names.ts';

/** Throws for what is no list of namespaces: a wildcard in a policy would bind to more than was meant. */
export function checkNamespaces(namespaces: readonly string[] | undefined): void {
  if (namespaces?.length === 0) throw new Error('Name at least one namespace, or leave them out to mean all.');
  for (const namespace of namespaces ?? []) {
    const problem = nameProblem('namespace', namespace);
    if (problem !== null) throw new Error(problem);
  }
}
