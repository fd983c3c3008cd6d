/** Something that whoever called the command can mend: told in a line, without a stack. */
export class PlainError extends Error {
  override readonly name = 'PlainError';
}

const isAboutOptions = (error: unknown): boolean =>
  String((error as { readonly code?: unknown } | null)?.code).startsWith('ERR_PARSE_ARGS_');

/** Runs a command, and says what is wrong with how it was called. */
export async function runCommand(command: () => Promise<void> | void): Promise<void> {
  try {
    await command();
  } catch (error) {
    if (!(error instanceof PlainError) && !isAboutOptions(error)) throw error;
    process.stderr.write(`${(error as Error).message}\n`);
    process.exitCode = 1;
  }
}
