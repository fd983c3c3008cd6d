import { readFileSync } from 'node:fs';
import { CliError } from './exit-codes.ts';

/** JSON as it stands, from a file (@file) or from standard input (-). */
export function readInput(given: string): unknown {
  const text = given === '-' ? readFileSync(0, 'utf8') : given.startsWith('@') ? readFile(given.slice(1)) : given;
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new CliError(`--input is no JSON: ${(error as Error).message}. A text needs its quotes: --input '"text"'`);
  }
}

function readFile(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new CliError(`--input: ${path} cannot be read: ${(error as Error).message}`);
  }
}
