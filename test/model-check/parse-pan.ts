/** What a search of pan, the verifier that spin makes of a model, has found. */
export interface Search {
  /** The broken property; null if there is none. */
  readonly violated: string | null;
  readonly states: number;
  readonly transitions: number;
  readonly depth: number;
  readonly megabytes: number;
  /** Why it did not look at every state; null if it did, or stopped at a violation. */
  readonly truncated: string | null;
  /** Places of each process that it never came to. */
  readonly unreached: ReadonlyMap<string, readonly Place[]>;
}

export interface Place {
  /** Numbered within the process. */
  readonly state: number;
  /** The line of the model and what stands there. */
  readonly code: string;
}

const LIMITS: readonly RegExp[] = [
  /max search depth too small/,
  /reached -DMEMLIM bound/,
  /out of memory/,
  /Search not completed/,
];

/** Throws if the text is no report of a search: nothing was checked then. */
export function parsePan(text: string, ends: string): Search {
  const errors = number(text, /errors: (\d+)/);
  const violated = violation(text, ends);
  if (errors > 0 !== (violated !== null)) throw new Error(`pan found ${errors} errors that cannot be read:\n${text}`);
  return {
    violated,
    states: number(text, /^\s*([\d.e+]+) states, stored/m),
    transitions: number(text, /^\s*([\d.e+]+) transitions/m),
    depth: number(text, /depth reached (\d+)/),
    megabytes: number(text, /^\s*([\d.]+)\s+total actual memory usage/m),
    truncated: violated === null ? limit(text) : null,
    unreached: unreached(text),
  };
}

function number(text: string, pattern: RegExp): number {
  const found = Number(pattern.exec(text)?.[1]);
  if (Number.isNaN(found)) throw new Error(`pan did not say ${pattern}:\n${text}`);
  return found;
}

/** Properties are asserted as `condition || theirName`. */
function violation(text: string, ends: string): string | null {
  if (/^pan:\d+: (invalid end state|acceptance cycle|non-progress cycle)/m.test(text)) return ends;
  const asserted = /^pan:\d+: assertion violated (.*) \(at depth/m.exec(text)?.[1];
  if (asserted === undefined) return null;
  return /\|\|\s*(\w+)\)$/.exec(asserted)?.[1] ?? asserted;
}

const limit = (text: string): string | null =>
  LIMITS.map((pattern) => pattern.exec(text)?.[0]).find((found) => found !== undefined) ?? null;

function unreached(text: string): ReadonlyMap<string, readonly Place[]> {
  const processes = text.matchAll(/^unreached in (?:proctype )?(\S+)\n((?:\t.*\n)*)/gm);
  return new Map([...processes].map(([, process = '', rest = '']) => [process, placesIn(rest)]));
}

function placesIn(text: string): readonly Place[] {
  const places = [...text.matchAll(/^\t\S+?:(\d+), state (\d+), "(.*)"$/gm)];
  return (
    places
      .map(([, line, state, code]) => ({ state: Number(state), code: `line ${line}: ${code}` }))
      // Processes that serve for ever never end.
      .filter(({ code }) => !code.endsWith(': -end-'))
  );
}
