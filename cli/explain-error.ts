import { ApiError } from '../sdk/client/http-api.ts';
import { CliError, EXIT, type ExitCode } from './exit-codes.ts';

export interface Explained {
  readonly message: string;
  readonly exitCode: ExitCode;
}

/** What went wrong, in words that help, and how to leave. */
export function explainError(error: unknown): Explained {
  if (error instanceof CliError) return { message: error.message, exitCode: error.exitCode };
  if (error instanceof ApiError) return explainApi(error);
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { message, exitCode: EXIT.failed };
}

function explainApi(error: ApiError): Explained {
  if (error.status === 0) {
    const hint = 'Start one with `kagzi dev <file>`, or name another with --url or KAGZI_URL.';
    return { message: `${error.message}\n${hint}`, exitCode: EXIT.unreachable };
  }
  if (error.status === 401 || error.status === 403) {
    const hint = 'Give a token with --token or KAGZI_API_TOKEN.';
    return { message: `${error.message}\n${hint}`, exitCode: EXIT.failed };
  }
  const exitCode = error.status === 404 ? EXIT.notFound : EXIT.failed;
  return { message: `${error.code}: ${error.message}`, exitCode };
}
