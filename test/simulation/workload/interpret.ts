import type { AnyWorkflow, StepInfo, WorkflowContext } from '../../../sdk/context.ts';
import { defineWorkflow } from '../../../sdk/define-workflow.ts';
import { CancelledError } from '../../../sdk/errors.ts';
import type { Node, StepNode } from './program.ts';

export const PROGRAM_TYPE = 'program';

export interface Program {
  readonly node: Node;
  /** Never to be seen in a log. */
  readonly secret: string;
}

/** What the code tells whoever watches it. `run` is the run id. */
export interface Stage {
  /** The body of a step: answers a number that tells this execution from every other. */
  body(run: string, step: string, info: StepInfo, node: Pick<StepNode, 'takesMs' | 'atMostOnce'>): Promise<number>;
  /** The code saw what became of a step. */
  saw(run: string, step: string, outcome: string): void;
  woke(run: string, step: string): void;
}

interface Result {
  readonly n: number;
  readonly pad: string;
  readonly secret: string;
}

/** Texts that look like this are results of steps, wherever they turn up. */
export const token = (step: string, execution: number): string => `${step}@${execution}`;
export const codeOf = (error: unknown): string => (error as { readonly code?: string }).code ?? String(error);
export const failureCode = (step: string): string => `FAILS_${step}`;

export function programWorkflow(version: string, stage: Stage): AnyWorkflow {
  const workflow: AnyWorkflow = defineWorkflow({ type: PROGRAM_TYPE, version }, async (ctx, program: Program) => {
    return new Interpreter(stage, program.secret, workflow).run(ctx, program.node);
  });
  return workflow;
}

class Interpreter {
  constructor(
    private readonly stage: Stage,
    private readonly secret: string,
    private readonly workflow: AnyWorkflow,
  ) {}

  async run(ctx: WorkflowContext, node: Node): Promise<unknown> {
    switch (node.op) {
      case 'step':
        return this.#step(ctx, node, node.id);
      case 'sleep':
        await ctx.sleep(node.id, node.ms);
        this.stage.woke(ctx.run.runId, node.id);
        return 'slept';
      case 'seq': {
        const values: unknown[] = [];
        for (const each of node.of) values.push(await this.run(ctx, each));
        return values;
      }
      case 'parallel':
        return this.#parallel(ctx, node);
      case 'race':
        return this.#race(ctx, node);
      case 'try':
        return this.#try(ctx, node);
      case 'child':
        return this.#child(ctx, node);
      case 'loop': {
        let last: unknown = null;
        for (let i = 1; i <= node.times; i++) {
          last = await this.#step(ctx, quick(node.id), i === 1 ? node.id : `${node.id}#${i}`);
        }
        return last;
      }
      case 'draw': {
        const drawn = [ctx.uuid(), ctx.random(), ctx.now().getTime()];
        this.stage.saw(ctx.run.runId, node.id, JSON.stringify(drawn));
        return drawn;
      }
    }
  }

  async #step(ctx: WorkflowContext, node: StepNode, name: string): Promise<string> {
    const { runId } = ctx.run;
    try {
      const result = await ctx.step(node.id, (info) => this.#body(runId, node, name, info), {
        retry: { attempts: node.attempts, initial: '1s' },
        atMostOnce: node.atMostOnce,
        ...(node.timeoutMs === null ? {} : { timeout: node.timeoutMs }),
      });
      this.stage.saw(runId, name, String(result.n));
      return token(name, result.n);
    } catch (error) {
      if (!(error instanceof CancelledError)) this.stage.saw(runId, name, codeOf(error));
      throw error;
    }
  }

  async #body(run: string, node: StepNode, name: string, info: StepInfo): Promise<Result> {
    const execution = await this.stage.body(run, name, info, node);
    if (info.attempt <= node.fails) throw Object.assign(new Error(`no ${this.secret}`), { code: failureCode(name) });
    return { n: execution, pad: 'x'.repeat(node.bytes), secret: this.secret };
  }

  async #parallel(ctx: WorkflowContext, { how, collect, of }: Extract<Node, { op: 'parallel' }>): Promise<unknown> {
    const mode = collect ? 'collect-all' : 'fail-fast';
    const settled = (all: readonly PromiseSettledResult<unknown>[]): unknown =>
      all.map((one) => (one.status === 'fulfilled' ? one.value : ['failed', codeOf(one.reason)]));
    if (how === 'all') return Promise.all(of.map((node) => this.run(ctx, node)));
    if (how === 'map') {
      const body = (node: Node, inner: WorkflowContext): Promise<unknown> => this.run(inner, node);
      if (collect) return settled(await ctx.map(of, body, { concurrency: 2, mode: 'collect-all' }));
      return ctx.map(of, body, { concurrency: 2 });
    }
    const branches = of.map((node) => (inner: WorkflowContext) => this.run(inner, node));
    if (mode === 'collect-all') return settled(await ctx.parallel(branches, { mode }));
    return ctx.parallel(branches);
  }

  async #race(ctx: WorkflowContext, { how, of }: Extract<Node, { op: 'race' }>): Promise<unknown> {
    const marked = async (inner: WorkflowContext, node: Node, index: number): Promise<unknown> => [
      index,
      await this.run(inner, node),
    ];
    if (how === 'race')
      return ctx.race(of.map((node, index) => (inner: WorkflowContext) => marked(inner, node, index)));
    const all = of.map((node, index) => marked(ctx, node, index));
    for (const one of all) one.catch(() => undefined);
    return Promise.race(all);
  }

  async #try(ctx: WorkflowContext, { body, cleanup }: Extract<Node, { op: 'try' }>): Promise<unknown> {
    let outcome: unknown;
    try {
      outcome = ['ok', await this.run(ctx, body)];
    } catch (error) {
      outcome = ['caught', codeOf(error)];
    }
    return cleanup === null ? outcome : [outcome, await this.run(ctx, cleanup)];
  }

  async #child(ctx: WorkflowContext, node: Extract<Node, { op: 'child' }>): Promise<unknown> {
    const { id, version, program, waits } = node;
    const input: Program = { node: program, secret: this.secret };
    if (waits) return ctx.call(id, this.workflow, input, { version });
    await ctx.start(id, this.workflow, input, { version });
    return 'started';
  }
}

const quick = (id: string): StepNode => ({
  op: 'step',
  id,
  fails: 0,
  attempts: 4,
  takesMs: 0,
  timeoutMs: null,
  bytes: 10,
  atMostOnce: false,
});
