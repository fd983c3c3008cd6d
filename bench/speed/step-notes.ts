import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { monotonicMs } from './monotonic.ts';

export const INTERRUPTED_STEP = 5;
export const STEPS = 10;

export interface StepNote {
  readonly step: number;
  readonly pid: number;
  readonly at: number;
}

/** What the body of an interrupted run does: notes that it began; the sixth of the first process waits for its death. */
export async function noteStep(file: string, step: number): Promise<string> {
  const isFirstProcess = readNotes(file).every(({ pid }) => pid === process.pid);
  appendFileSync(file, `${JSON.stringify({ step, pid: process.pid, at: monotonicMs() })}\n`);
  if (step === INTERRUPTED_STEP && isFirstProcess) await new Promise(() => undefined);
  return String(step);
}

export const readNotes = (file: string): readonly StepNote[] =>
  existsSync(file)
    ? readFileSync(file, 'utf8')
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as StepNote)
    : [];
