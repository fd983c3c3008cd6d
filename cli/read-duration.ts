import { durationMs } from '../shared/model/duration.ts';
import { CliError } from './exit-codes.ts';

/** `30s`, `1h 30m`, or milliseconds as a bare number. */
export function readDuration(option: string, text: string): number {
  try {
    return durationMs(/^\d+$/.test(text) ? Number(text) : text);
  } catch (error) {
    throw new CliError(`--${option}: ${(error as Error).message}.`);
  }
}
