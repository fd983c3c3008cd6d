import { join } from 'node:path';
import { removeScratch, scratchFolder } from '../scratch.ts';
import { monotonicMs } from './monotonic.ts';
import { INTERRUPTED_STEP, readNotes, type StepNote } from './step-notes.ts';
import type { Subject } from './subject-process.ts';

export interface Resumption {
  /** From the kill to the interrupted body's next start, the new process included. */
  readonly resumedMs: number;
  /** Completed steps whose bodies ran again. */
  readonly reExecuted: number;
}

const GIVE_UP_MS = 120_000;

async function noted(file: string, what: string, find: (note: StepNote) => boolean): Promise<StepNote> {
  const end = monotonicMs() + GIVE_UP_MS;
  for (;;) {
    const note = readNotes(file).find(find);
    if (note !== undefined) return note;
    if (monotonicMs() > end) throw new Error(`${what} did not come within ${GIVE_UP_MS} ms`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** Kills the whole process in the middle of a run, starts it again at once, and sees when the run goes on. */
export async function measureResumption(start: () => Promise<Subject>): Promise<Resumption> {
  const folder = scratchFolder('bench-notes');
  const notes = join(folder, 'notes');
  try {
    const first = await start();
    const run = await first.startInterrupted(notes);
    const interrupted = await noted(notes, 'the sixth step', ({ step }) => step === INTERRUPTED_STEP);
    const killedAt = monotonicMs();
    first.kill();
    const second = await start();
    const resumed = await noted(notes, 'the resumption', ({ pid }) => pid !== interrupted.pid);
    await second.endInterrupted(run);
    await second.close();
    const completed = readNotes(notes).filter(({ step }) => step < INTERRUPTED_STEP);
    return { resumedMs: resumed.at - killedAt, reExecuted: completed.length - INTERRUPTED_STEP };
  } finally {
    removeScratch(folder);
  }
}
