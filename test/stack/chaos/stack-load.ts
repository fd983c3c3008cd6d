import { type Client, defineWorkflow } from '../../../sdk/index.ts';
import { type Program, randomProgram } from '../../chaos/program.ts';
import { type ProgramInput, RETRY, WORKFLOW_TYPE } from '../../chaos/program-workflow.ts';
import type { Acknowledged } from '../../chaos/records.ts';
import type { SeededRandom } from '../../helpers/seeded-random.ts';

/** The one queue that a worker function serves. */
const QUEUE = 'default';

const ELSEWHERE = defineWorkflow({ type: WORKFLOW_TYPE, retry: RETRY }, (_ctx, _input: ProgramInput) =>
  Promise.reject(new Error('this process serves nothing')),
);

interface LoadOptions {
  readonly runs: number;
  readonly maxOpen: number;
  /** More than that many are started while this holds. */
  readonly goesOn: () => boolean;
  readonly signal: AbortSignal;
}

/** Starts runs of random programs, a few at a time, and remembers those that were acknowledged. */
export async function startLoad(
  client: Client,
  random: SeededRandom,
  { runs, maxOpen, goesOn, signal }: LoadOptions,
  acknowledged: Acknowledged[],
): Promise<void> {
  const open = new Set<string>();
  for (let n = 0; n < runs || goesOn(); n += 1) {
    const program = onOneQueue(randomProgram(random));
    const { runId } = await persist(signal, () =>
      client.start(ELSEWHERE, { program }, { externalId: `chaos-${n}`, taskQueue: QUEUE }),
    );
    acknowledged.push({ runId, program });
    open.add(runId);
    while (open.size >= maxOpen) await forgetEnded(client, open, signal);
  }
  while (open.size > 0) await forgetEnded(client, open, signal);
}

const onOneQueue = (program: Program): Program =>
  program.map((operation) => {
    if (operation.kind === 'parallel') return { ...operation, branches: operation.branches.map(onOneQueue) };
    if (operation.kind !== 'child') return operation;
    // The name of the queue is the stack's, not one of those that the embedded server has.
    return { ...operation, queue: QUEUE as never, program: onOneQueue(operation.program) };
  });

async function forgetEnded(client: Client, open: Set<string>, signal: AbortSignal): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 200));
  signal.throwIfAborted();
  for (const runId of open) {
    const status = await persist(signal, () => client.run(runId).status());
    if (status === 'COMPLETED' || status === 'FAILED' || status === 'CANCELLED') open.delete(runId);
  }
}

/** The API's processes are killed, too: a call that found nobody is made again. */
async function persist<T>(signal: AbortSignal, call: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await call();
    } catch {
      signal.throwIfAborted();
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
}
