import { InvalidArgumentError } from '../check-options.ts';
import type { AnyWorkflow } from '../context.ts';
import { requireWorkflow } from '../define-workflow.ts';
import { encodeValue } from '../values.ts';
import type { ServedType } from './served-here.ts';

/** The workflows a worker has the code of, in all their versions. */
export class Registry {
  /** One list for as long as it lives: who asks with it again and again is recognised by it. */
  readonly types: readonly string[];
  readonly #byType = new Map<string, Map<string, AnyWorkflow>>();

  constructor(workflows: readonly AnyWorkflow[]) {
    if (workflows.length === 0)
      throw new InvalidArgumentError('A worker needs at least one workflow: { workflows: [order] }');
    for (const workflow of workflows) {
      requireWorkflow('workflows', workflow);
      const versions = this.#byType.get(workflow.type) ?? new Map<string, AnyWorkflow>();
      this.#byType.set(workflow.type, versions);
      if (versions.has(workflow.version)) {
        throw new InvalidArgumentError(
          `The workflow "${workflow.type}" is given twice with version "${workflow.version}".`,
        );
      }
      versions.set(workflow.version, workflow);
    }
    this.types = [...this.#byType.keys()];
  }

  /** Of each type the example of the first version that has one, as a client would send it. */
  get served(): readonly ServedType[] {
    return [...this.#byType].map(([workflowType, versions]) => ({
      workflowType,
      versions: [...versions.keys()],
      example: encodeValue([...versions.values()].find(({ example }) => example !== undefined)?.example),
    }));
  }

  find(type: string, version: string): AnyWorkflow | null {
    return this.#byType.get(type)?.get(version) ?? null;
  }

  versionsOf(type: string): readonly string[] {
    return [...(this.#byType.get(type)?.keys() ?? [])];
  }
}
