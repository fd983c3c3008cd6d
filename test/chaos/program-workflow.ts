import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import {
  defineWorkflow,
  type StepInfo,
  StepInterruptedError,
  type Workflow,
  type WorkflowContext,
} from '../../sdk/index.ts';
import type { Ledger } from './ledger.ts';
import { fold, type Operation, type Program } from './program.ts';

export interface ProgramInput {
  readonly program: Program;
}

/** What a step answers: which of its executions was accepted cannot be guessed. */
export interface StepOutput {
  readonly path: string;
  readonly value: number;
  readonly by: string;
}

export interface ProgramOutput {
  readonly total: number;
  /** The executions whose results the run went on with, by their paths. */
  readonly accepted: Readonly<Record<string, string>>;
}

type WorkStep = Extract<Operation, { readonly kind: 'step' | 'flaky' | 'once' }>;

export const WORKFLOW_TYPE = 'program';
/** So many kills are no fault of the run. */
export const RETRY = { kind: 'fixed', attempts: 10_000, interval: 100 } as const;

/** Runs the program it is given, and notes in the ledger what its bodies do. */
export function programWorkflow(
  ledger: Ledger,
  provenFrom: (idempotencyKey: string, now: number) => number,
): Workflow<ProgramInput, ProgramOutput> {
  const body =
    (runId: string, path: string, operation: WorkStep) =>
    async (step: StepInfo): Promise<StepOutput> => {
      const { idempotencyKey: key, attempt } = step;
      const [by, at] = [randomUUID(), Date.now()];
      ledger.effect({ what: 'start', runId, path, key, attempt, by, at, provenFrom: provenFrom(key, at) });
      if (operation.kind === 'flaky' && attempt <= operation.failures) throw new Error('not yet');
      // Whatever its signal says: a body that goes on after its lease is what must do no harm.
      if (operation.kind !== 'flaky') await delay(operation.ms);
      return { path, value: operation.value, by };
    };

  const run = async (
    ctx: WorkflowContext,
    program: Program,
    accepted: Record<string, string>,
    prefix: string,
  ): Promise<number> => {
    const { runId } = ctx.run;
    const step = async (path: string, operation: WorkStep): Promise<number> => {
      const options = operation.kind === 'once' ? { atMostOnce: true } : {};
      const { value, by } = await ctx.step(`step ${path}`, body(runId, path, operation), options);
      ledger.note({ what: 'seen', runId, path, by, at: Date.now() });
      accepted[path] = by;
      return value;
    };
    let total = 0;
    for (const [index, operation] of program.entries()) {
      const path = `${prefix}${index}`;
      switch (operation.kind) {
        case 'step':
        case 'flaky':
          total = fold(total, await step(path, operation));
          break;
        case 'once':
          total = fold(total, await step(path, operation).catch(zeroIfInterrupted));
          break;
        case 'nap':
          await ctx.sleep(`nap ${path}`, operation.ms);
          break;
        case 'parallel': {
          const branches = operation.branches.map(
            (branch, number) => (inner: WorkflowContext) => run(inner, branch, accepted, `${path}:${number}.`),
          );
          for (const sum of await ctx.parallel(branches)) total = fold(total, sum);
          break;
        }
        case 'child': {
          const { queue: taskQueue, program: inner } = operation;
          const child = await ctx.call(`child ${path}`, workflow, { program: inner }, { taskQueue, retry: RETRY });
          total = fold(total, child.total);
          break;
        }
      }
    }
    return total;
  };

  const workflow: Workflow<ProgramInput, ProgramOutput> = defineWorkflow(
    { type: WORKFLOW_TYPE, retry: RETRY },
    async (ctx, { program }: ProgramInput) => {
      const accepted: Record<string, string> = {};
      const total = await run(ctx, program, accepted, '');
      return { total, accepted };
    },
  );
  return workflow;
}

function zeroIfInterrupted(error: unknown): number {
  if (!(error instanceof StepInterruptedError)) throw error;
  return 0;
}
