import { parseArgs } from 'node:util';
import { openEmbedded } from '../local/embedded.ts';
import { createClient } from '../sdk/client/create-client.ts';
import type { AnyWorkflow } from '../sdk/context.ts';
import { defineWorkflow } from '../sdk/define-workflow.ts';
import type { ExportedRun } from '../sdk/exported-run.ts';
import { replay } from '../sdk/testing/replay.ts';
import { createWorker } from '../sdk/worker/create-worker.ts';
import { removeScratch, scratchFolder } from './scratch.ts';

/** What the SDK costs its process: replaying a long history, and memory after many runs. Needs --expose-gc. */
const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    steps: { type: 'string', default: '10000' },
    runs: { type: 'string', default: '10000' },
  },
});
const steps = Number(values.steps);
const runs = Number(values.runs);

const long = defineWorkflow({ type: 'long' }, async (ctx, count: number) => {
  let sum = 0;
  for (let n = 0; n < count; n++) sum += await ctx.step(`step ${n}`, () => n);
  return sum;
});
const short = defineWorkflow({ type: 'short' }, async (ctx, n: number) => {
  const a = await ctx.step('a', () => n + 1);
  return ctx.step('b', () => a + 1);
});

/** As an engine would export it, without having to run it first. */
function recordedRun(count: number): ExportedRun {
  const at = new Date(0).toISOString();
  return {
    run: {
      namespace: 'bench',
      run_id: 'bench',
      workflow_type: long.type,
      version: '1',
      task_queue: 'default',
      status: 'COMPLETED',
      external_id: null,
      created_at: at,
      started_at: at,
      input: count,
      output: (count * (count - 1)) / 2,
    },
    steps: Array.from({ length: count }, (_, n) => ({
      step_id: `step ${n}`,
      kind: 'FUNCTION' as const,
      status: 'COMPLETED',
      attempt: 1,
      position: n,
      order: n + 1,
      finished_at: at,
      wake_at: null,
      child_run_id: null,
      output: n,
      error: null,
    })),
  };
}

async function measureReplay(): Promise<number> {
  const history = recordedRun(steps);
  await replay(recordedRun(100), long);
  const since = performance.now();
  await replay(history, long);
  return performance.now() - since;
}

function heapBytes(): number {
  const { gc } = globalThis as { readonly gc?: () => void };
  if (gc === undefined) throw new Error('run it with --expose-gc, as `npm run bench:sdk` does');
  gc();
  gc();
  return process.memoryUsage().heapUsed;
}

async function measureHeap(): Promise<{ readonly after1000: number; readonly afterAll: number }> {
  const directory = scratchFolder('bench');
  const embedded = await openEmbedded(directory);
  const worker = createWorker({ workflows: [short as AnyWorkflow], maxConcurrent: 100 }).embedded(embedded.engine);
  const client = createClient({ embedded: embedded.engine });
  const runSome = async (count: number): Promise<void> => {
    for (let done = 0; done < count; done += 100) {
      const handles = await Promise.all(Array.from({ length: 100 }, (_, n) => client.start(short, n)));
      await Promise.all(handles.map((handle) => handle.result()));
    }
  };
  try {
    await runSome(1_000);
    const after1000 = heapBytes();
    await runSome(runs - 1_000);
    return { after1000, afterAll: heapBytes() };
  } finally {
    await worker.stop();
    await embedded.close();
    removeScratch(directory);
  }
}

const replayMs = await measureReplay();
const heap = await measureHeap();
const result = {
  replay: { steps, ms: Math.round(replayMs) },
  heap: {
    runs,
    after1000Mb: Number((heap.after1000 / 1e6).toFixed(1)),
    afterAllMb: Number((heap.afterAll / 1e6).toFixed(1)),
    ratio: Number((heap.afterAll / heap.after1000).toFixed(3)),
  },
};
process.stdout.write(
  values.json
    ? `${JSON.stringify(result)}\n`
    : `replaying ${steps} recorded steps: ${result.replay.ms} ms\nheap after 1,000 runs ${result.heap.after1000Mb} MB, after ${runs} ${result.heap.afterAllMb} MB (× ${result.heap.ratio})\n`,
);
