import { fsyncSync, openSync, readdirSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** A body has started. */
export interface StartLine {
  readonly what: 'start';
  readonly runId: string;
  /** Of the step in its program. */
  readonly path: string;
  readonly key: string;
  readonly attempt: number;
  /** Of this very execution. */
  readonly by: string;
  readonly at: number;
  /** The proof of ownership it started on was sent at this time, or later. */
  readonly provenFrom: number;
}

/** The workflow went on with a step's result: it is recorded. */
export interface SeenLine {
  readonly what: 'seen';
  readonly runId: string;
  readonly path: string;
  readonly by: string;
  readonly at: number;
}

/** A polling worker got a run, or has put it down. */
export interface HoldLine {
  readonly what: 'took' | 'left';
  readonly runId: string;
  readonly at: number;
}

export type LedgerLine = StartLine | SeenLine | HoldLine;

/** What one process has done, on disk before it goes on. */
export class Ledger {
  readonly #file: number;

  constructor(directory: string, name: string) {
    this.#file = openSync(ledgerFile(directory, name), 'a');
  }

  note(line: LedgerLine): void {
    writeSync(this.#file, `${JSON.stringify(line)}\n`);
  }

  effect(line: StartLine): void {
    this.note(line);
    fsyncSync(this.#file);
  }
}

const ledgerFile = (directory: string, name: string): string => join(directory, `${name}.jsonl`);

/** The lines of a process; the last one of a process that was killed may be torn. */
export function readLedger(directory: string, name: string): LedgerLine[] {
  const lines = readFileSync(ledgerFile(directory, name), 'utf8').split('\n');
  lines.pop();
  return lines.map((line) => JSON.parse(line) as LedgerLine);
}

export const readLedgers = (directory: string): LedgerLine[] =>
  readdirSync(directory).flatMap((file) => readLedger(directory, file.replace(/\.jsonl$/, '')));

/** The runs a polling worker held when its ledger ends. */
export function heldAtEnd(lines: readonly LedgerLine[]): ReadonlySet<string> {
  const held = new Set<string>();
  for (const line of lines) {
    if (line.what === 'took') held.add(line.runId);
    if (line.what === 'left') held.delete(line.runId);
  }
  return held;
}
