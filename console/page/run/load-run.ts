import { ApiProblem, callApi, within } from '../api.ts';
import { hasEnded, type Paged, type RunDetails, type Step } from '../wire.ts';

interface StepPage {
  readonly token: string | undefined;
  readonly steps: readonly Step[];
  readonly next: string | null;
}

/** A run as far as it is known, with what the next look can leave out. */
export interface LoadedRun {
  readonly run: RunDetails;
  readonly cost: RunDetails['cost'] | null;
  readonly costAt: number;
  readonly pages: readonly StepPage[];
}

const PAGE_SIZE = 100;
/** Counting the cost reads every step: not with every look. */
const COST_EVERY_MS = 15_000;

export const stepsOf = ({ pages }: LoadedRun): readonly Step[] => pages.flatMap(({ steps }) => steps);

export async function loadRun(
  namespace: string,
  runId: string,
  last: LoadedRun | null,
  signal: AbortSignal,
  tell: (soFar: LoadedRun) => void,
): Promise<LoadedRun> {
  const path = within(namespace, `/runs/${encodeURIComponent(runId)}`);
  const run = await callApi<RunDetails>(path, { signal });
  const isNew = last === null || last.run.status !== run.status;
  // Of a long run the steps take a while.
  if (last !== null && isNew) tell({ ...last, run });
  const withCost = isNew || (!hasEnded(run) && Date.now() - last.costAt > COST_EVERY_MS);
  const known = last === null || hasEnded(run) ? [] : settledPages(last.pages);
  const [{ cost, costAt }, pages] = await Promise.all([
    withCost ? loadCost(path, signal) : last,
    loadPages(path, known, signal, (soFar) => {
      if (last === null) tell({ run, cost: null, costAt: 0, pages: soFar });
    }),
  ]);
  return { run, cost, costAt, pages };
}

async function loadCost(path: string, signal: AbortSignal) {
  const { cost } = await callApi<RunDetails>(path, { query: { include: 'cost' }, signal });
  return { cost, costAt: Date.now() };
}

/** What is decided does not change, and the steps are listed in the order of their creation. */
function settledPages(pages: readonly StepPage[]): readonly StepPage[] {
  const open = pages.findIndex(({ steps, next }) => next === null || !steps.every(isSettled));
  return open < 0 ? pages : pages.slice(0, open);
}

const isSettled = ({ status }: Step): boolean => status === 'COMPLETED' || status === 'FAILED';

/** Of a first look at thousands of steps something is to be seen soon, and not each page alone. */
const TOLD_EVERY = 10;

async function loadPages(
  path: string,
  known: readonly StepPage[],
  signal: AbortSignal,
  tell: (soFar: readonly StepPage[]) => void,
): Promise<readonly StepPage[]> {
  const pages = [...known];
  let token = known.at(-1)?.next ?? undefined;
  do {
    try {
      const query = { payloads: 'false', page_size: PAGE_SIZE, page_token: token };
      const page = await callApi<Paged & { readonly steps: readonly Step[] }>(`${path}/steps`, { query, signal });
      pages.push({ token, steps: page.steps, next: page.next_page_token });
    } catch (error) {
      // The history was packed meanwhile: its pages have other tokens now.
      if (error instanceof ApiProblem && error.code === 'INVALID_PAGE_TOKEN' && token !== undefined) {
        return loadPages(path, [], signal, tell);
      }
      throw error;
    }
    if (pages.length % TOLD_EVERY === 1) tell([...pages]);
    token = pages.at(-1)?.next ?? undefined;
  } while (token !== undefined);
  return pages;
}
