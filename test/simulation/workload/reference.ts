import { failureCode } from './interpret.ts';
import type { Node, StepNode } from './program.ts';

/** Null if the value may be what came of it; else what is wrong. */
type Matcher = (value: unknown) => string | null;

/** What may become of a program, if it is left to itself: a value, or an error with one of these codes. */
export interface Expected {
  readonly ok: Matcher | null;
  readonly errors: ReadonlySet<string>;
}

const NONE: ReadonlySet<string> = new Set();
const union = (...sets: readonly ReadonlySet<string>[]): ReadonlySet<string> =>
  new Set(sets.flatMap((set) => [...set]));
const wrong = (what: string, value: unknown): string => `${JSON.stringify(value)?.slice(0, 200)} is not ${what}`;
const exactly =
  (wanted: unknown): Matcher =>
  (value) =>
    JSON.stringify(value) === JSON.stringify(wanted) ? null : wrong(JSON.stringify(wanted), value);
const anyOf =
  (options: readonly Matcher[]): Matcher =>
  (value) => {
    const misses = options.map((option) => option(value));
    return misses.includes(null) ? null : misses.join('; ');
  };
const list =
  (of: readonly Matcher[]): Matcher =>
  (value) => {
    if (!Array.isArray(value) || value.length !== of.length) return wrong(`a list of ${of.length}`, value);
    for (const [index, matcher] of of.entries()) {
      const miss = matcher(value[index]);
      if (miss !== null) return `[${index}] ${miss}`;
    }
    return null;
  };

/** The reference interpreter. It knows nothing of replay, leases or time: only what the program says. */
export function expected(node: Node): Expected {
  switch (node.op) {
    case 'step':
      return step(node);
    case 'sleep':
      return { ok: exactly('slept'), errors: NONE };
    case 'loop':
      return { ok: resultOf(node.times === 1 ? node.id : `${node.id}#${node.times}`), errors: NONE };
    case 'draw':
      return {
        ok: (value) => (Array.isArray(value) && value.length === 3 ? null : wrong('a draw', value)),
        errors: NONE,
      };
    case 'seq':
      return sequence(node.of.map(expected));
    case 'parallel':
      return parallel(node.of.map(expected), node.collect);
    case 'race': {
      const all = node.of.map(expected);
      const wins = all.flatMap(({ ok }, index) => (ok === null ? [] : [list([exactly(index), ok])]));
      return { ok: wins.length === 0 ? null : anyOf(wins), errors: union(...all.map(({ errors }) => errors)) };
    }
    case 'try':
      return attempt(node);
    case 'child': {
      if (!node.waits) return { ok: exactly('started'), errors: NONE };
      return expected(node.program);
    }
  }
}

const resultOf =
  (id: string): Matcher =>
  (value) =>
    typeof value === 'string' && value.startsWith(`${id}@`) ? null : wrong(`a result of ${id}`, value);

function step(node: StepNode): Expected {
  const interrupted = node.atMostOnce ? new Set(['STEP_INTERRUPTED']) : NONE;
  if (node.bytes > 2 * 1024 * 1024) return { ok: null, errors: new Set(['PAYLOAD_TOO_LARGE']) };
  if (node.timeoutMs !== null) return { ok: null, errors: new Set(['STEP_TIMEOUT']) };
  // An at-most-once step has one attempt.
  const attempts = node.atMostOnce ? 1 : node.attempts;
  if (node.fails >= attempts) return { ok: null, errors: union(new Set([failureCode(node.id)]), interrupted) };
  return { ok: resultOf(node.id), errors: interrupted };
}

function sequence(all: readonly Expected[]): Expected {
  const stop = all.findIndex(({ ok }) => ok === null);
  const reached = stop < 0 ? all : all.slice(0, stop + 1);
  return {
    ok: stop < 0 ? list(all.map(({ ok }) => ok as Matcher)) : null,
    errors: union(...reached.map(({ errors }) => errors)),
  };
}

function parallel(all: readonly Expected[], collect: boolean): Expected {
  if (collect) {
    const either = all.map(({ ok, errors }) =>
      anyOf([...(ok === null ? [] : [ok]), ...[...errors].map((code) => exactly(['failed', code]))]),
    );
    return { ok: list(either), errors: NONE };
  }
  const succeeds = all.every(({ ok }) => ok !== null);
  return {
    ok: succeeds ? list(all.map(({ ok }) => ok as Matcher)) : null,
    errors: union(...all.map(({ errors }) => errors)),
  };
}

function attempt({ body, cleanup }: Extract<Node, { op: 'try' }>): Expected {
  const { ok, errors } = expected(body);
  const outcomes = [
    ...(ok === null ? [] : [list([exactly('ok'), ok])]),
    ...[...errors].map((code) => exactly(['caught', code])),
  ];
  const caught: Expected = { ok: anyOf(outcomes), errors: NONE };
  if (cleanup === null) return caught;
  const after = expected(cleanup);
  return {
    ok: after.ok === null ? null : list([caught.ok as Matcher, after.ok]),
    errors: after.errors,
  };
}
