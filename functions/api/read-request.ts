import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type * as z from 'zod';
import { KagziError } from '../../shared/model/errors.ts';
import type { Call } from './call.ts';

/** Of a request body: what Lambda takes, less what it wraps around it. */
export const MAX_BODY_BYTES = 5 * 1024 * 1024;
const MAX_JSON_DEPTH = 200;

/** What the call gets, checked; throws INVALID_ARGUMENT that names every field that is wrong. */
export function readRequest(call: Call, event: APIGatewayProxyEventV2) {
  const problems: string[] = [];
  const request = {
    params: check(call.params, event.pathParameters ?? {}, 'path', problems),
    query: check(call.query, event.queryStringParameters ?? {}, 'query', problems),
    body: call.body === undefined ? undefined : check(call.body, readBody(event), 'body', problems),
  };
  if (problems.length > 0) {
    throw new KagziError('INVALID_ARGUMENT', `The request is not valid: ${problems.join('; ')}.`, { problems });
  }
  return request;
}

function check(schema: z.ZodType, given: unknown, place: string, problems: string[]): unknown {
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  for (const issue of parsed.error.issues.slice(0, 20)) {
    const path = [place, ...issue.path.map(String)].join('.').slice(0, 200);
    problems.push(`${path}: ${explain(issue, schema, given)}`);
  }
  return undefined;
}

/** In words that help whoever made the mistake. */
function explain(issue: z.core.$ZodIssue, schema: z.ZodType, given: unknown): string {
  if (issue.code === 'unrecognized_keys' && issue.path.length === 0) {
    const known = Object.keys((schema as { readonly shape?: object }).shape ?? {});
    const hint = known.length === 0 ? '' : `; known are ${known.join(', ')}`;
    return `${issue.message.slice(0, 200)}${hint}`;
  }
  if (issue.code === 'invalid_type' && valueAt(given, issue.path) === undefined) return 'is required';
  return issue.message.slice(0, 300);
}

const valueAt = (given: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>((value, key) => (value as Record<PropertyKey, unknown> | null | undefined)?.[key], given);

/** Undefined for an empty body: a call whose fields are all optional needs none. */
function readBody(event: APIGatewayProxyEventV2): unknown {
  const { body } = event;
  if (body === undefined || body === '') return undefined;
  const type = event.headers['content-type'] ?? '';
  if (!/^application\/([\w.-]+\+)?json\s*(;|$)/i.test(type)) {
    throw new KagziError('UNSUPPORTED_MEDIA_TYPE', 'The body must be JSON, with content-type: application/json.');
  }
  const text = event.isBase64Encoded ? decodeUtf8(Buffer.from(body, 'base64')) : body;
  if (Buffer.byteLength(text, 'utf8') > MAX_BODY_BYTES) {
    throw new KagziError('PAYLOAD_TOO_LARGE', `The body is larger than ${MAX_BODY_BYTES} bytes.`, {
      max_bytes: MAX_BODY_BYTES,
    });
  }
  requireShallow(text);
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new KagziError('INVALID_ARGUMENT', 'The body is not valid JSON.');
  }
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new KagziError('INVALID_ARGUMENT', 'The body is not valid UTF-8.');
  }
}

/** Before it is parsed: writing deeply nested JSON again would overflow the stack. */
function requireShallow(text: string): void {
  let depth = 0;
  let quoted = false;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (quoted) {
      if (unit === 0x5c) i += 1;
      else if (unit === 0x22) quoted = false;
    } else if (unit === 0x22) quoted = true;
    else if (unit === 0x5b || unit === 0x7b) depth += 1;
    else if (unit === 0x5d || unit === 0x7d) depth -= 1;
    if (depth > MAX_JSON_DEPTH) {
      throw new KagziError('INVALID_ARGUMENT', `The body is nested more than ${MAX_JSON_DEPTH} levels deep.`);
    }
  }
}
