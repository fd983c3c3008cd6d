import { type Finding, type FuzzOptions, fuzz, type Rewrite } from './fuzz.ts';
import type { FuzzedRequest } from './fuzzed-requests.ts';

export interface Smallest {
  readonly finding: Finding;
  readonly seed: number;
  /** The fewest requests before it that still bring it about. */
  readonly from: number;
  readonly requests: number;
  /** Whether the request shown is less than the one that the seed makes. */
  readonly simplified: boolean;
}

const BEFORE = [0, 5, 40, 200] as const;
const TRIES = 40;

/** The same breach with as few requests before it, and as little in it, as is easily found. */
export async function shrinkFinding({ seed, from, requests, say }: FuzzOptions, finding: Finding): Promise<Smallest> {
  const { index, kind } = finding;
  const attempt = async (first: number, rewrite?: Rewrite): Promise<Finding | undefined> => {
    const run = await fuzz({ seed, from: first, requests: index - first + 1, say: () => undefined }, rewrite);
    return run.findings.find((found) => found.index === index && found.kind === kind);
  };
  for (const before of BEFORE) {
    const first = index - before;
    if (first < from) break;
    const again = await attempt(first);
    if (again === undefined) continue;
    say(`request ${index} breaks it with ${before} before it`);
    const [smaller, simplified] = await simplify(again, (rewrite) => attempt(first, rewrite), index);
    return { finding: smaller, seed, from: first, requests: before + 1, simplified };
  }
  return {
    finding,
    seed,
    from,
    requests: index - from + 1 < requests ? index - from + 1 : requests,
    simplified: false,
  };
}

/** Leaves out one field after the other, for as long as it still breaks. */
async function simplify(
  found: Finding,
  attempt: (rewrite: Rewrite) => Promise<Finding | undefined>,
  index: number,
): Promise<readonly [Finding, boolean]> {
  let best = found;
  const left = new Set<string>();
  let tries = 0;
  for (const place of ['query', 'body'] as const) {
    const names = namesIn(found.request[place]);
    for (const name of names) {
      if (++tries > TRIES) break;
      const without = new Set([...left, `${place}.${name}`]);
      const smaller = await attempt((request, at) => (at === index ? leaveOut(request, without) : request));
      if (smaller === undefined) continue;
      left.add(`${place}.${name}`);
      best = smaller;
    }
  }
  return [best, left.size > 0];
}

const namesIn = (value: unknown): readonly string[] =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.keys(value) : [];

const leaveOut = (request: FuzzedRequest, places: ReadonlySet<string>): FuzzedRequest => {
  const rest = (place: 'query' | 'body'): unknown =>
    namesIn(request[place]).length === 0
      ? request[place]
      : Object.fromEntries(
          Object.entries(request[place] as object).filter(([name]) => !places.has(`${place}.${name}`)),
        );
  return { ...request, query: rest('query') as FuzzedRequest['query'], body: rest('body') };
};
