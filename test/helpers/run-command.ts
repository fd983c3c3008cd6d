import { UsageError } from './parse-figures.ts';

export const tell = (line: string): void => void process.stderr.write(`${line}\n`);

/** Answers the exit code; whatever it throws is told in one line. */
export async function runCommand(command: () => Promise<number>): Promise<void> {
  try {
    process.exitCode = await command();
  } catch (error) {
    tell((error as Error).message);
    process.exitCode = error instanceof UsageError ? 2 : 1;
  }
}

/** One JSON object on a line, or a line for each figure. */
export const showFigures = (figures: object, json: boolean): string =>
  json
    ? JSON.stringify(figures)
    : Object.entries(figures)
        .map(([name, figure]) => `${name.padEnd(16)} ${typeof figure === 'object' ? JSON.stringify(figure) : figure}`)
        .join('\n');
