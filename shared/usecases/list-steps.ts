import { KagziError } from '../model/errors.ts';
import { idempotencyKey } from '../model/ids.ts';
import { isEnded, type Run, type RunId } from '../model/run.ts';
import { type CompletedStep, isDecided, type Step } from '../model/step.ts';
import { utf8Length } from '../model/utf8-order.ts';
import type { Engine } from '../store/engine.ts';
import { findStep } from '../store/find-step.ts';
import { mergeSteps, queryLoose, readPacked } from '../store/history.ts';
import { stepPrefix } from '../store/keys.ts';
import { loadPayload, type PayloadText } from '../store/payloads.ts';
import { readStep } from '../store/steps.ts';
import { requireRun } from './get-run.ts';
import { invalidPageToken, pageCursor, pageToken } from './page-token.ts';

/** A step with its payloads, as it is shown. */
export interface StepDetails {
  readonly step: Step;
  readonly input: PayloadText | undefined;
  readonly output: PayloadText | undefined;
  readonly idempotencyKey: string;
  /** It came after the run had ended: recorded, but without effect. */
  readonly late: boolean;
}

export interface ListSteps extends RunId {
  readonly stepId?: string | undefined;
  /** Whether payloads are read, too; they are unless told otherwise. */
  readonly payloads?: boolean | undefined;
  readonly pageSize: number;
  readonly pageToken?: string | undefined;
}

export interface StepPage {
  readonly steps: readonly StepDetails[];
  readonly nextPageToken: string | null;
}

/** A page ends before its payloads exceed this, unless one step alone does: Lambda answers 6 MB at most. */
const PAGE_BYTES = 3 * 1024 * 1024;
/** How many steps a poll answers at most. */
const POLL_PAGE = 100;

/** In the order of creation. Only so much of a history is sorted at once; a longer one comes in parts, each in order. */
export async function listSteps(engine: Engine, request: ListSteps): Promise<StepPage> {
  const run = await requireRun(engine, request);
  const { stepId, payloads = true, pageSize } = request;
  if (stepId !== undefined) return oneStep(engine, run, stepId, payloads);
  return stepPage(engine, run, pageSize, request.pageToken, { payloads });
}

export async function getStep(engine: Engine, id: RunId, stepId: string): Promise<StepDetails> {
  const run = await requireRun(engine, id);
  const step = await findStep(engine, run, stepId);
  if (step === null) throw new KagziError('STEP_NOT_FOUND', `There is no step "${stepId}".`, { step_id: stepId });
  return stepDetails(engine, run, step);
}

async function oneStep(engine: Engine, run: Run, stepId: string, payloads: boolean): Promise<StepPage> {
  const step = await findStep(engine, run, stepId);
  return { steps: step === null ? [] : [await stepDetails(engine, run, step, payloads)], nextPageToken: null };
}

/** Which part of the history, and how many of its steps were in the pages before. */
interface Cursor {
  readonly part: string;
  readonly skip: number;
}
const PACKED_PART = 'packed';
const FIRST_LOOSE_PART = 'loose:';

const encodeCursor = ({ part, skip }: Cursor): string => `${skip}:${part}`;
function decodeCursor(run: Run, text: string): Cursor {
  const [, skip, part = ''] = /^(\d{1,9}):(.*)$/s.exec(text) ?? [];
  const loose = FIRST_LOOSE_PART + stepPrefix(run.incarnation, run.history.generation);
  if (part !== PACKED_PART && part !== FIRST_LOOSE_PART && !part.startsWith(loose)) throw invalidPageToken();
  return { skip: Number(skip), part };
}

export async function stepPage(
  engine: Engine,
  run: Run,
  pageSize: number,
  token: string | undefined,
  { maxBytes = PAGE_BYTES, payloads = true }: { readonly maxBytes?: number; readonly payloads?: boolean } = {},
): Promise<StepPage> {
  // A pack moves steps from one part to another, so a page token does not outlive it.
  const query = { steps: run.runId, incarnation: run.incarnation, generation: run.history.generation };
  const cursor = pageCursor(query, token);
  const first = run.history.packs.length > 0 ? PACKED_PART : FIRST_LOOSE_PART;
  let at: Cursor | null = cursor === undefined ? { part: first, skip: 0 } : decodeCursor(run, cursor);
  const steps: StepDetails[] = [];
  let bytes = 0;
  while (at !== null) {
    const { part, skip }: Cursor = at;
    const { found, next } = await readPart(engine, run, part);
    for (const [index, step] of found.entries()) {
      if (index < skip) continue;
      const details = steps.length < pageSize ? await stepDetails(engine, run, step, payloads) : null;
      bytes += details === null ? 0 : payloadBytes(details);
      if (details === null || (bytes > maxBytes && (steps.length > 0 || maxBytes < PAGE_BYTES))) {
        return { steps, nextPageToken: pageToken(query, encodeCursor({ part, skip: index })) };
      }
      steps.push(details);
    }
    at = next === null ? null : { part: next, skip: 0 };
  }
  return { steps, nextPageToken: null };
}

/** The packed steps, then the loose ones by query pages of at most 1 MB. */
async function readPart(
  engine: Engine,
  run: Run,
  part: string,
): Promise<{ found: readonly Step[]; next: string | null }> {
  if (part === PACKED_PART) {
    const { steps } = await readPacked(engine, run);
    return { found: await withoutSuperseded(engine, run, mergeSteps(steps, [])), next: FIRST_LOOSE_PART };
  }
  const after = part.slice(FIRST_LOOSE_PART.length);
  const page = await queryLoose(engine, run, { after: after === '' ? undefined : after });
  return { found: mergeSteps([], page.steps), next: page.next === null ? null : FIRST_LOOSE_PART + page.next };
}

/** A step packed before it was decided may have gone on as an item of its own, which comes later in the list. */
async function withoutSuperseded(engine: Engine, run: Run, packed: readonly Step[]): Promise<readonly Step[]> {
  const scope = { ...run, generation: run.history.generation };
  const gone = new Set<Step>();
  for (const step of packed) {
    if (!isDecided(step) && (await readStep(engine, scope, step.stepId)) !== null) gone.add(step);
  }
  return packed.filter((step) => !gone.has(step));
}

/** All of a history already read, if it fits beside the input into one answer. */
export async function wholePage(
  engine: Engine,
  run: Run,
  history: readonly Step[],
  input: PayloadText | undefined,
): Promise<StepPage> {
  const maxBytes = PAGE_BYTES - utf8Length(input ?? '');
  const first = () => stepPage(engine, run, POLL_PAGE, undefined, { maxBytes });
  if (history.length > POLL_PAGE) return first();
  const steps: StepDetails[] = [];
  let bytes = 0;
  for (const step of history) {
    const details = await stepDetails(engine, run, step);
    bytes += payloadBytes(details);
    if (bytes > maxBytes) return first();
    steps.push(details);
  }
  return { steps, nextPageToken: null };
}

const payloadBytes = ({ step, input, output }: StepDetails): number =>
  utf8Length(input ?? '') + utf8Length(output ?? '') + ('error' in step ? JSON.stringify(step.error).length : 0);

export const stepOutput = (engine: Engine, run: Run, step: CompletedStep): ReturnType<typeof loadPayload> =>
  loadPayload(engine, run, run.incarnation, step.output);

export async function stepDetails(engine: Engine, run: Run, step: Step, payloads = true): Promise<StepDetails> {
  const load = async (payload: Step['input']) =>
    payloads ? loadPayload(engine, run, run.incarnation, payload) : undefined;
  const finishedAt = 'finishedAt' in step ? step.finishedAt : null;
  return {
    step,
    input: await load(step.input),
    output: step.status === 'COMPLETED' ? await load(step.output) : undefined,
    idempotencyKey: idempotencyKey(run.runId, run.incarnation, step.stepId),
    late: isEnded(run) && finishedAt !== null && finishedAt > run.finishedAt,
  };
}
