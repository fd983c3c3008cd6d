import { ApiError } from '../sdk/client/api-error.ts';
import { SigningError } from '../shared/model/signing-error.ts';
import { CliError, EXIT, type ExitCode } from './exit-codes.ts';

export interface Explained {
  readonly code: string;
  readonly message: string;
  readonly exitCode: ExitCode;
}

/** What went wrong, in words that help, and how to leave. */
export function explainError(error: unknown): Explained {
  if (error instanceof CliError) return error;
  if (error instanceof ApiError) return explainApi(error);
  if (error instanceof SigningError) {
    return { code: error.code, message: `${error.message}\n${SIGNING_HINTS[error.code]}`, exitCode: EXIT.failed };
  }
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { code: 'INTERNAL', message, exitCode: EXIT.failed };
}

const SIGNING_HINTS: Readonly<Record<SigningError['code'], string>> = {
  NO_CREDENTIALS:
    'Log in with `aws sso login` or `aws configure`, name a profile with --profile or AWS_PROFILE, or set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.\nKAGZI_SIGN=off calls the engine without a signature.',
  NO_REGION: 'Give it with --region or AWS_REGION.',
};

function explainApi(error: ApiError): Explained {
  const { code } = error;
  if (code === 'UNEXPECTED_ANSWER') return { code, message: error.message, exitCode: EXIT.unreachable };
  if (error.status === 0) {
    const hint = 'Start one with `kagzi dev <file>`, or name another with --url or KAGZI_URL.';
    return { code, message: `${error.message}\n${hint}`, exitCode: EXIT.unreachable };
  }
  if (error.status === 401 || error.status === 403) {
    const hint =
      'access_key_id' in error.details
        ? '`aws sts get-caller-identity` shows who you are there.\nThe caller needs execute-api:Invoke on this API; another one is chosen with --profile.'
        : 'Give a token with --token or KAGZI_API_TOKEN, or sign with your AWS credentials with --sign.';
    return { code, message: `${error.message}\n${hint}`, exitCode: EXIT.failed };
  }
  const exitCode = error.status === 404 ? EXIT.notFound : EXIT.failed;
  return { code, message: `${code}: ${error.message}`, exitCode };
}
