import type { ApiResponse } from '../helpers/api-response.ts';
import type { Sent } from './fuzz-world.ts';
import type { WireRequest } from './wire-request.ts';

export type BreachKind = 'serverError' | 'schema' | 'undocumented' | 'writeOnRefusal' | 'crossNamespace' | 'leak';

export interface Breach {
  readonly kind: BreachKind;
  readonly what: string;
}

/** Refusals before anything is done. A 409 may come after a write: a result is recorded before its lease is looked at again. */
const REFUSALS: ReadonlySet<number> = new Set([400, 401, 403, 404, 405, 413, 415]);
const LEAK =
  /\n\s+at |node_modules|file:\/\/|\.[jt]s:\d|[Ss][Qq][Ll][Ii][Tt][Ee]|[Dd]ynamo|\bE[A-Z]{5,}\b|\b[A-Z]\w*Error:/;

export function breachesOf(wire: WireRequest, { call, answer, problems, wrote }: Sent): Breach[] {
  const { status } = answer;
  // An engine that was told to drain is not ready: that is the one 503 a caller can bring about.
  const isUnready = status === 503 && call?.path === '/ready';
  const text = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body ?? null);
  return [
    ...(status >= 500 && !isUnready ? [{ kind: 'serverError', what: `answered ${status}` } as const] : []),
    ...problems,
    ...(REFUSALS.has(status) && wrote
      ? [{ kind: 'writeOnRefusal', what: `a ${status} wrote something` } as const]
      : []),
    ...(status >= 400 && LEAK.test(text) && !LEAK.test(wire.url + wire.text)
      ? [{ kind: 'leak', what: `a ${status} says ${text.slice(0, 300)}` } as const]
      : []),
  ];
}

const ID = /[0-9a-f]{8}-[0-9a-f-]{27}|\d{13}-[\w-]+|[\w-]+\.\d+\.\d+\.[\w-]+/gi;
export const withoutIds = (text: string): string => text.replace(ID, 'ID');

/** Callers may name things as they like: what was asked for counts as an id, whatever it looks like. */
function shownAs({ status, body }: ApiResponse, asked: ReadonlySet<string>): string {
  const text = [...asked].reduce(
    (left, name) => left.replaceAll(JSON.stringify(name).slice(1, -1), 'ID'),
    JSON.stringify(body ?? null),
  );
  return `${status} ${withoutIds(text)}`;
}

/** How the answer about a neighbour's thing differs from that about a thing there is not; null if it does not. */
export function differsFromUnknown(theirs: Sent, unknown: Sent, asked: ReadonlySet<string> = new Set()): string | null {
  const [one, other] = [shownAs(theirs.answer, asked), shownAs(unknown.answer, asked)];
  if (one === other) return null;
  return `a neighbour's thing: ${one.slice(0, 400)}; an unknown one: ${other.slice(0, 400)}`;
}
