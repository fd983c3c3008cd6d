import type { AnyWorkflow, WorkflowContext } from '../../sdk/context.ts';
import { defineWorkflow } from '../../sdk/define-workflow.ts';
import { NonRetryableError } from '../../sdk/errors.ts';
import type { SeededRandom } from '../helpers/seeded-random.ts';

/** A small workflow as data. A pause is something that is no step, and takes real time. */
export type Node =
  | { readonly op: 'step'; readonly id: string; readonly takesMs: number; readonly fails: 'no' | 'once' | 'always' }
  | { readonly op: 'sleep'; readonly id: string; readonly ms: number }
  | { readonly op: 'child'; readonly id: string; readonly ms: number }
  | { readonly op: 'pause'; readonly ms: number; readonly next: Node }
  | { readonly op: 'seq' | Joint; readonly of: readonly Node[] };

const JOINTS = ['parallel', 'race', 'all', 'settled', 'first', 'any'] as const;
type Joint = (typeof JOINTS)[number];

/** Ids are numbered over the whole program, so that every step has its own. */
export function randomProgram(random: SeededRandom): Node {
  let ids = 0;
  const id = (): string => `n${ids++}`;
  const leaf = (): Node => {
    const kind = random.next();
    if (kind < 0.25) return { op: 'sleep', id: id(), ms: random.pick([1_000, 4_000, 9_000, 40_000]) };
    if (kind < 0.33) return { op: 'child', id: id(), ms: random.pick([0, 2_000, 20_000]) };
    const fails = random.pick<'no' | 'once' | 'always'>(['no', 'no', 'no', 'no', 'once', 'always']);
    return { op: 'step', id: id(), takesMs: random.pick([0, 0, 0, 1_500, 6_000]), fails };
  };
  const node = (depth: number): Node => {
    const kind = random.next();
    if (depth === 0 || kind < 0.3) return leaf();
    if (kind < 0.45) return { op: 'pause', ms: random.pick([0, 2, 8]), next: node(depth - 1) };
    const of = Array.from({ length: random.between(2, 3) }, () => node(depth - 1));
    return { op: kind < 0.65 ? 'seq' : random.pick(JOINTS), of };
  };
  return { op: 'seq', of: [node(2), node(2), leaf(), { op: 'sleep', id: id(), ms: 30_000 }] };
}

/** What the code tells whoever watches it. */
export interface Stage {
  /** One execution of the code, from its beginning. */
  begins(): Witness;
  /** The body of a step. */
  works(ms: number): Promise<void>;
}

export interface Witness {
  /** The code saw this become of that. */
  saw(what: string): void;
}

const child = defineWorkflow({ type: 'child' }, async (ctx, ms: number) => {
  if (ms > 0) await ctx.sleep('nap', ms);
  return ms;
});

/** Every body that ends has a result of its own, so that the output says which of them counted. */
export function programWorkflows(program: Node, stage: Stage): readonly [AnyWorkflow, ...AnyWorkflow[]] {
  let bodies = 0;
  const flow = defineWorkflow({ type: 'program' }, async (ctx) => {
    const witness = stage.begins();
    const told = async (id: string, promise: Promise<unknown>): Promise<unknown> => {
      try {
        const value = await promise;
        witness.saw(`${id} ${String(value)}`);
        return value ?? null;
      } catch (error) {
        witness.saw(`${id} failed`);
        throw error;
      }
    };
    const body = async (node: Extract<Node, { op: 'step' }>, attempt: number): Promise<string> => {
      const n = ++bodies;
      await stage.works(node.takesMs);
      if (node.fails === 'always') throw new NonRetryableError(`${node.id} fails`);
      if (node.fails === 'once' && attempt === 1) throw new Error(`${node.id} fails once`);
      return `${node.id}@${n}`;
    };
    const run = async (c: WorkflowContext, node: Node): Promise<unknown> => {
      switch (node.op) {
        case 'step':
          return told(
            node.id,
            c.step(node.id, ({ attempt }) => body(node, attempt), { retry: { attempts: 9 } }),
          );
        case 'sleep':
          return told(node.id, c.sleep(node.id, node.ms));
        case 'child':
          return told(node.id, c.call(node.id, child, node.ms));
        case 'pause':
          await new Promise<void>((resolve) => (node.ms === 0 ? setImmediate(resolve) : setTimeout(resolve, node.ms)));
          return run(c, node.next);
        case 'seq': {
          const values: unknown[] = [];
          for (const each of node.of) values.push(await run(c, each).catch(() => 'failed'));
          return values;
        }
        default:
          return join(c, node.op, node.of, run);
      }
    };
    return run(ctx, program);
  });
  return [flow, child];
}

type Run = (ctx: WorkflowContext, node: Node) => Promise<unknown>;

function join(ctx: WorkflowContext, how: Joint, of: readonly Node[], run: Run): Promise<unknown> {
  const branches = of.map((node) => (inner: WorkflowContext) => run(inner, node));
  if (how === 'parallel') return ctx.parallel(branches);
  if (how === 'race') return ctx.race(branches);
  const all = of.map((node) => run(ctx, node));
  switch (how) {
    case 'all':
      return Promise.all(all);
    case 'settled':
      return Promise.allSettled(all).then((each) =>
        each.map((one) => (one.status === 'fulfilled' ? one.value : 'failed')),
      );
    case 'first':
      return Promise.race(all);
    case 'any':
      return Promise.any(all);
  }
}
