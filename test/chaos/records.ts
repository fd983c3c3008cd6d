import type { Client, ClientStep } from '../../sdk/index.ts';
import { ApiError } from '../../sdk/index.ts';
import type { Program } from './program.ts';
import type { ProgramOutput, StepOutput } from './program-workflow.ts';

/** A run that the engine has acknowledged. */
export interface Acknowledged {
  readonly runId: string;
  readonly program: Program;
}

export interface StepRecord {
  readonly path: string;
  readonly status: ClientStep['status'];
  readonly output: StepOutput | undefined;
  readonly finishedAt: number | null;
  readonly code: string | null;
  readonly childRunId: string | null;
}

/** What the engine says of a run in the end. */
export interface RunRecord {
  readonly status: string;
  readonly output: ProgramOutput | undefined;
  readonly error: string | null;
  /** Those of sleeps are left out. */
  readonly steps: ReadonlyMap<string, StepRecord>;
}

const AT_ONCE = 16;

const pathOf = (stepId: string): string => /(?:step|child) (\S+)$/.exec(stepId)?.[1] ?? stepId;

const stepRecord = (step: ClientStep): StepRecord => ({
  path: pathOf(step.stepId),
  status: step.status,
  output: step.kind === 'FUNCTION' ? (step.output as StepOutput | undefined) : undefined,
  finishedAt: step.finishedAt?.getTime() ?? null,
  code: step.error?.code ?? null,
  childRunId: step.childRunId,
});

async function readRecord(client: Client, runId: string): Promise<RunRecord | null> {
  const handle = client.run(runId);
  try {
    const [run, steps] = [await handle.get(), await handle.steps()];
    const records = steps.filter(({ kind }) => kind !== 'SLEEP').map(stepRecord);
    return {
      status: run.status,
      output: run.output as ProgramOutput | undefined,
      error: run.error === null ? null : `${run.error.code}: ${run.error.message}`,
      steps: new Map(records.map((record) => [record.path, record])),
    };
  } catch (error) {
    if (error instanceof ApiError && error.code === 'RUN_NOT_FOUND') return null;
    throw error;
  }
}

/** The acknowledged runs and their children; a run that is not there is not in the map. */
export async function readRecords(client: Client, runIds: readonly string[]): Promise<Map<string, RunRecord>> {
  const records = new Map<string, RunRecord>();
  const waiting = [...runIds];
  const reader = async (): Promise<void> => {
    for (let runId = waiting.pop(); runId !== undefined; runId = waiting.pop()) {
      const record = await readRecord(client, runId);
      if (record === null) continue;
      records.set(runId, record);
      for (const { childRunId } of record.steps.values()) if (childRunId !== null) waiting.push(childRunId);
    }
  };
  while (waiting.length > 0) await Promise.all(Array.from({ length: AT_ONCE }, reader));
  return records;
}
