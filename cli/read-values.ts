import { CliError } from './exit-codes.ts';

export function readCount(option: string, text: string, least: number): number {
  const count = Number(text);
  if (Number.isInteger(count) && count >= least) return count;
  throw new CliError(`--${option}: ${JSON.stringify(text)} is no whole number ${least === 0 ? 'from' : 'above'} 0.`);
}

export function readTime(option: string, text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const ms = Date.parse(text);
  if (Number.isNaN(ms))
    throw new CliError(`--${option}: ${JSON.stringify(text)} is no time, such as 2026-01-31T09:00:00Z.`);
  return new Date(ms).toISOString();
}
