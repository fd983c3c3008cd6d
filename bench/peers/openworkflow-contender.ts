import { join } from 'node:path';
import type { Contender, ContenderOptions } from '../speed/contender.ts';
import { monotonicMs } from '../speed/monotonic.ts';
import { instantPayload, PAYLOAD, readInstant } from '../speed/payload.ts';
import { noteStep, STEPS } from '../speed/step-notes.ts';
import { loadPackage } from './load-package.ts';

interface Scope<Input> {
  readonly input: Input;
  readonly step: {
    run<T>(options: { name: string }, body: () => T | Promise<T>): Promise<T>;
    sleep(name: string, duration: string): Promise<void>;
  };
}
interface Handle<Output> {
  readonly workflowRun: { readonly id: string };
  result(): Promise<Output>;
}
interface Runnable<Input, Output> {
  run(input: Input): Promise<Handle<Output>>;
}
interface Run {
  readonly status: string;
}
interface Backend {
  getWorkflowRun(params: { workflowRunId: string }): Promise<Run | null>;
  stop(): Promise<void>;
}
interface Sdk {
  readonly OpenWorkflow: new (options: {
    backend: Backend;
  }) => {
    defineWorkflow<I, O>(spec: { name: string }, run: (scope: Scope<I>) => Promise<O>): Runnable<I, O>;
    newWorker(options: { concurrency: number }): { start(): Promise<void>; stop(): Promise<void> };
  };
}
interface Sqlite {
  readonly BackendSqlite: { connect(path: string): Backend };
}

const LOOK_MS = 20;

/** OpenWorkflow: a library in this process, on SQLite through node:sqlite, with its defaults. */
export async function openworkflow({ packages, directory, maxConcurrent }: ContenderOptions): Promise<Contender> {
  const { OpenWorkflow } = await loadPackage<Sdk>(packages, 'openworkflow');
  const { BackendSqlite } = await loadPackage<Sqlite>(packages, 'openworkflow/sqlite');
  const backend = BackendSqlite.connect(join(directory, 'openworkflow.db'));
  const ow = new OpenWorkflow({ backend });
  const tenSteps = ow.defineWorkflow({ name: 'ten-steps' }, async ({ input, step }: Scope<string>) => {
    let last = input;
    for (let n = 0; n < STEPS; n++) last = await step.run({ name: `step-${n}` }, () => PAYLOAD);
    return last;
  });
  const fanOut = ow.defineWorkflow({ name: 'fan-out' }, async ({ input, step }: Scope<string>) => {
    const steps = Array.from({ length: STEPS }, (_, n) => step.run({ name: `step-${n}` }, () => PAYLOAD));
    return (await Promise.all(steps)).at(-1) ?? input;
  });
  const firstBody = ow.defineWorkflow({ name: 'first-body' }, ({ step }: Scope<string>) =>
    step.run({ name: 'first' }, () => instantPayload(monotonicMs())),
  );
  const sleeper = ow.defineWorkflow({ name: 'sleeper' }, async ({ input: ms, step }: Scope<number>) => {
    const before = await step.run({ name: 'before' }, () => instantPayload(monotonicMs()));
    await step.sleep('sleep', `${ms}ms`);
    const after = await step.run({ name: 'after' }, () => instantPayload(monotonicMs()));
    return readInstant(after) - readInstant(before) - ms;
  });
  const interrupted = ow.defineWorkflow({ name: 'interrupted' }, async ({ input, step }: Scope<string>) => {
    for (let n = 0; n < STEPS; n++) await step.run({ name: `step-${n}` }, () => noteStep(input, n));
    return null;
  });
  const worker = ow.newWorker({ concurrency: maxConcurrent });
  await worker.start();
  const run = async <I, O>(workflow: Runnable<I, O>, input: I): Promise<O> => (await workflow.run(input)).result();
  return {
    async tenSteps() {
      await run(tenSteps, PAYLOAD);
    },
    async fanOut() {
      await run(fanOut, PAYLOAD);
    },
    firstBodyAt: async () => readInstant(await run(firstBody, PAYLOAD)),
    sleepLateness: (ms) => run(sleeper, ms),
    startInterrupted: async (noteFile) => (await interrupted.run(noteFile)).workflowRun.id,
    async endInterrupted(workflowRunId) {
      while ((await backend.getWorkflowRun({ workflowRunId }))?.status !== 'completed') {
        await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
      }
    },
    memoryBytes: async () => process.memoryUsage.rss(),
    async close() {
      await worker.stop();
      await backend.stop();
    },
  };
}
