import { z } from 'zod';
import type { Call } from '../../functions/api/call.ts';
import { errorBody } from '../../functions/api/error-response.ts';
import { openApiDocument } from '../../functions/api/openapi-document.ts';
import { ROUTES } from '../../functions/api/routes.ts';
import { STATUS_OF } from '../../shared/model/errors.ts';
import type { ApiResponse } from './api-response.ts';
import { type JsonSchema, misfits } from './json-schema.ts';

/** `undocumented`: a status or a code that the route does not declare. `schema`: headers or a body that are not as declared. */
export interface AnswerProblem {
  readonly kind: 'undocumented' | 'schema';
  readonly what: string;
}

interface DocumentedAnswer {
  readonly description: string;
  readonly content?: Readonly<Record<string, { readonly schema: JsonSchema }>>;
}
const { paths, components } = openApiDocument(ROUTES, '0') as {
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { readonly responses: Readonly<Record<string, DocumentedAnswer>> }>>>
  >;
  readonly components: { readonly schemas: { readonly Error: JsonSchema } };
};
const documented = (call: Call, status: number): DocumentedAnswer | undefined =>
  paths[call.path]?.[call.method.toLowerCase()]?.responses[String(status)];

const HEADERS: Readonly<Record<string, RegExp>> = {
  'x-correlation-id': /^[\w.:/-]{1,128}$/,
  'x-trace-id': /^[0-9a-f]{32}$/,
  'cache-control': /^no-store$/,
  'x-content-type-options': /^nosniff$/,
};
/** Of what is no route: the last two before anybody has looked for one. */
const OF_NO_ROUTE: ReadonlySet<string> = new Set([
  'ROUTE_NOT_FOUND',
  'METHOD_NOT_ALLOWED',
  'FORBIDDEN',
  'PAYLOAD_TOO_LARGE',
]);
const JSON_TYPE = /^application\/json; charset=utf-8$/;
const TEXT_TYPE = /^text\/plain/;

const schema = (what: string): AnswerProblem => ({ kind: 'schema', what });
const undocumented = (what: string): AnswerProblem => ({ kind: 'undocumented', what });

/** Where an answer is not what its route, and the OpenAPI document, declare; a call of null is no route there is. */
export function answerProblems(call: Call | null, answer: ApiResponse): AnswerProblem[] {
  const { status, headers, body } = answer;
  const declared = call?.answers[status];
  return [
    ...headerProblems(headers),
    ...(call === null || declared === undefined
      ? errorProblems(call, answer)
      : declared === null
        ? body === undefined && headers['content-type'] === undefined
          ? []
          : [schema(`a ${status} has a body`)]
        : bodyProblems(call, declared, answer)),
  ];
}

const headerProblems = (headers: ApiResponse['headers']): AnswerProblem[] =>
  Object.entries(HEADERS).flatMap(([name, wanted]) =>
    wanted.test(headers[name] ?? '') ? [] : [schema(`${name} is ${headers[name]}`)],
  );

function typeProblems(wanted: RegExp, { headers }: ApiResponse): AnswerProblem[] {
  const type = headers['content-type'] ?? '';
  return wanted.test(type) ? [] : [schema(`content-type is "${type}"`)];
}

function bodyProblems(call: Call, declared: z.ZodType, answer: ApiResponse): AnswerProblem[] {
  const { status, headers, body } = answer;
  const parsed = declared.safeParse(body);
  const described = documented(call, status)?.content?.[String(headers['content-type']).split(';')[0] ?? ''];
  return [
    ...typeProblems(declared instanceof z.ZodString ? TEXT_TYPE : JSON_TYPE, answer),
    ...(parsed.success ? [] : parsed.error.issues.map((issue) => schema(`${issue.path.join('.')}: ${issue.message}`))),
    ...(described === undefined
      ? [undocumented(`no schema of a ${status}`)]
      : misfits(described.schema, body).map((misfit) => schema(misfit))),
  ];
}

function errorProblems(call: Call | null, answer: ApiResponse): AnswerProblem[] {
  const { status, headers, body } = answer;
  const parsed = errorBody.safeParse(body);
  if (!parsed.success) return [schema(`a ${status} with ${JSON.stringify(body)?.slice(0, 200)}`)];
  const { code } = parsed.data.error;
  const found = typeProblems(JSON_TYPE, answer);
  if (STATUS_OF[code] !== status) found.push(schema(`${code} came with ${status}`));
  if (call === null) {
    if (!OF_NO_ROUTE.has(code)) found.push(undocumented(`${code} of no route`));
    if ((headers['allow'] !== undefined) !== (code === 'METHOD_NOT_ALLOWED')) found.push(schema('allow is wrong'));
    return found;
  }
  found.push(...misfits(components.schemas.Error, body).map((misfit) => schema(misfit)));
  const codes = documented(call, status)?.description.split(', ');
  if (codes === undefined) found.push(undocumented(`the status ${status}`));
  else if (!codes.includes(code)) found.push(undocumented(`the code ${code}`));
  return found;
}
