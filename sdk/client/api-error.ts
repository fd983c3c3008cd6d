/** The engine refused, or could not be reached. `code` is the API's, or `UNREACHABLE`. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  constructor(
    readonly code: string,
    readonly status: number,
    message: string,
    readonly details: Readonly<Record<string, unknown>> = {},
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

interface Answered {
  readonly status: number;
  readonly text: string;
}

interface Refused extends Answered {
  /** What was sent to prove who calls. */
  readonly proof: Readonly<Record<string, string>>;
}

/** What the engine said; or API Gateway in front of it, whose refusals look different. */
export function refusal(base: string, { status, text, proof }: Refused): ApiError {
  const answer = parsed(text);
  if (typeof answer?.error?.code === 'string') {
    const { code, message, details } = answer.error;
    return new ApiError(code, status, message, details);
  }
  const code = GATEWAY_CODES[status];
  if (code === undefined || typeof answer?.message !== 'string') return notAnEngine(base, { status, text });
  // The lines below the first repeat the request, and with it the session token.
  const [said = ''] = answer.message.split('\n');
  const signer = signerIn(proof['authorization'] ?? '');
  const as = signer === null ? '' : ` It was signed with ${signer.access_key_id} for ${signer.region}.`;
  return new ApiError(code, status, `The engine's gateway refused the call: ${said}${as}`, { ...signer });
}

export function readAnswer(base: string, answered: Answered): unknown {
  try {
    return JSON.parse(answered.text) as unknown;
  } catch {
    throw notAnEngine(base, answered);
  }
}

/** Something else listens there: its page would tell nobody anything. */
function notAnEngine(base: string, { status, text }: Answered): ApiError {
  const said = text.trimStart().startsWith('<') ? 'a page' : JSON.stringify(text.slice(0, 100));
  const message = `${base} does not answer as an engine does, but with ${status} and ${said}.`;
  return new ApiError('UNEXPECTED_ANSWER', status, message);
}

const GATEWAY_CODES: Readonly<Record<number, string>> = { 401: 'UNAUTHENTICATED', 403: 'FORBIDDEN' };

interface Answer {
  readonly error?: {
    readonly code: string;
    readonly message: string;
    readonly details: Record<string, unknown>;
  } | null;
  readonly message?: unknown;
}

function parsed(text: string): Answer | null {
  try {
    return JSON.parse(text) as Answer | null;
  } catch {
    return null;
  }
}

function signerIn(authorization: string): { readonly access_key_id: string; readonly region: string } | null {
  const [, access_key_id, region] = /^AWS4-HMAC-SHA256 Credential=([^/]+)\/\d+\/([^/]+)\//.exec(authorization) ?? [];
  return access_key_id === undefined || region === undefined ? null : { access_key_id, region };
}
