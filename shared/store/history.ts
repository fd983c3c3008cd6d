import type { Run } from '../model/run.ts';
import type { Step } from '../model/step.ts';
import type { Item } from '../ports/table.ts';
import type { Engine } from './engine.ts';
import { FORMAT, packSk, runPk, stepPrefix } from './keys.ts';
import { decodeChunk, encodeChunks } from './pack-chunks.ts';
import { type HeadWrite, writeHead } from './run-head.ts';
import { encodePacks } from './run-item.ts';
import { HISTORY_SLACK_MS } from './runs.ts';
import { decodeStep } from './step-item.ts';
import { sureWrite } from './sure-write.ts';

export interface RunHistory {
  /** Each step once, as last recorded, in the order of creation. */
  readonly steps: readonly Step[];
  readonly packed: readonly Step[];
  /** Items of their own; one may be a later state of a packed step. */
  readonly loose: readonly Step[];
  readonly readUnits: number;
}

/** All recorded steps, strongly read: chunks of earlier generations, then the items of the current one. */
export async function readHistory(engine: Engine, run: Run): Promise<RunHistory> {
  const packed = await readPacked(engine, run);
  const late = await readRecheck(engine, run);
  const loose = await readGeneration(engine, run, run.history.generation);
  return {
    steps: mergeSteps(packed.steps, [...late.steps, ...loose.steps]),
    packed: packed.steps,
    loose: loose.steps,
    readUnits: packed.readUnits + late.readUnits + loose.readUnits,
  };
}

async function readGeneration(
  engine: Engine,
  run: Run,
  generation: number,
): Promise<{ readonly steps: readonly Step[]; readonly readUnits: number }> {
  const steps: Step[] = [];
  let readUnits = 0;
  let after: string | undefined;
  do {
    const page = await queryLoose(engine, run, { after, generation });
    readUnits += page.readUnits;
    steps.push(...page.steps);
    after = page.next ?? undefined;
  } while (after !== undefined);
  return { steps, readUnits };
}

const readRecheck = (engine: Engine, run: Run) =>
  run.history.recheck === null
    ? Promise.resolve({ steps: [], readUnits: 0 })
    : readGeneration(engine, run, run.history.recheck);

/** What was recorded in a generation after it had been read to be packed, though its run has moved on since. */
export async function lateSteps(engine: Engine, run: Run): Promise<readonly Step[]> {
  const { steps } = await readRecheck(engine, run);
  const packed = new Map((await readPacked(engine, run)).steps.map((step) => [step.stepId, step.writeId]));
  return steps.filter((step) => packed.get(step.stepId) !== step.writeId);
}

const byCreation = (a: Step, b: Step): number => a.createdAt - b.createdAt || (a.stepId < b.stepId ? -1 : 1);

export const mergeSteps = (packed: readonly Step[], loose: readonly Step[]): readonly Step[] =>
  [...new Map([...packed, ...loose].map((step) => [step.stepId, step])).values()].sort(byCreation);

/** One page of the items of the current generation, in the order of their keys. */
export async function queryLoose(
  engine: Engine,
  run: Run,
  page: { readonly after?: string | undefined; readonly limit?: number; readonly generation?: number },
): Promise<{ readonly steps: readonly Step[]; readonly next: string | null; readonly readUnits: number }> {
  const { items, next, units } = await engine.table.query({
    pk: runPk(run),
    prefix: stepPrefix(run.incarnation, page.generation ?? run.history.generation),
    consistent: true,
    ...(page.after === undefined ? {} : { after: page.after }),
    ...(page.limit === undefined ? {} : { limit: page.limit }),
  });
  return { steps: items.map(decodeStep), next, readUnits: units.read };
}

/** The chunks this process has not seen yet cost a read, the others nothing. */
export async function readPacked(engine: Engine, run: Run): Promise<{ steps: readonly Step[]; readUnits: number }> {
  const keys = run.history.packs.flatMap(({ id, parts }) =>
    Array.from({ length: parts }, (_, part) => ({ pk: runPk(run), sk: packSk(run.incarnation, id, part) })),
  );
  const { packs } = engine.memory;
  const chunks = new Map(keys.map((key) => [key.sk, packs.get(key.pk + key.sk)]));
  const unseen = keys.filter((key) => chunks.get(key.sk) === null);
  if (unseen.length === 0) return { steps: keys.flatMap((key) => chunks.get(key.sk) ?? []), readUnits: 0 };
  const { items, units } = await engine.table.batchGet(unseen, { consistent: true });
  for (const { pk, sk, b } of items) {
    const { steps, heapBytes } = decodeChunk(b as Uint8Array);
    packs.set(pk + sk, steps, heapBytes);
    chunks.set(sk, steps);
  }
  return { steps: keys.flatMap((key) => chunks.get(key.sk) ?? []), readUnits: units.read };
}

/** Packed steps have no item in this generation: they must be looked up before a write-once put could succeed again. */
export async function findPacked(engine: Engine, run: Run, stepId: string): Promise<Step | null> {
  if (run.history.packs.length === 0) return null;
  return (await readPacked(engine, run)).steps.findLast((step) => step.stepId === stepId) ?? null;
}

/** Above this many loose items the next claim packs them. */
export const PACK_ABOVE = 200;
/** Above this many packs they are written anew as one, so that the head stays small. */
const MAX_PACKS = 15;

/**
 * Copies loose steps into chunks and opens the next generation. Only the owner of the current epoch does it. What a
 * former owner may still write into the old generation is read by nobody and was acknowledged to nobody: over HTTP a
 * result is acknowledged only after epoch and generation were seen again. Where the owner's own writes may be under
 * way, the head remembers to look at the old generation once more.
 * The loose items stay, so nothing can be recorded twice, and expire by themselves.
 */
export async function packHistory(
  engine: Engine,
  run: Run,
  history: RunHistory,
  safeUntil: number,
  options: { readonly beside?: 'own-writes' } = {},
): Promise<HeadWrite> {
  const all = run.history.packs.length >= MAX_PACKS || safeUntil > run.history.safeUntil;
  const steps = all ? history.steps : mergeSteps([], history.loose);
  const chunks = encodeChunks(steps);
  const id = engine.ids.writeId();
  const lastsFrom = Math.max(safeUntil, run.history.safeUntil);
  const ttl = Math.ceil((lastsFrom + engine.config.retentionMs + HISTORY_SLACK_MS) / 1000);
  let writeUnits = 0;
  for (const [part, bytes] of chunks.entries()) {
    const item: Item = { pk: runPk(run), sk: packSk(run.incarnation, id, part), v: FORMAT, b: bytes, ttl };
    writeUnits += (await sureWrite(engine, () => engine.table.put(item))).units.write;
  }
  const pack = { id, parts: chunks.length };
  const count = all ? steps.length : history.packed.length + steps.length;
  return writeHead(engine, run, {
    transition: 'touch',
    fence: run,
    status: run.status,
    set: {
      hg: run.history.generation + 1,
      hp: encodePacks(all ? [pack] : [...run.history.packs, pack]),
      hn: count,
      hs: all ? lastsFrom : run.history.safeUntil,
      hl: engine.clock.now(),
      n: count,
      ...(options.beside === undefined ? {} : { hk: run.history.generation }),
    },
    ...(options.beside === undefined ? { remove: ['hk'] } : {}),
    due: 'keep',
    unstamped: true,
    spent: { writeUnits, readUnits: history.readUnits },
  });
}

/** How many steps are recorded, for a head about to be left alone; reads no more than it must. */
export async function countSteps(engine: Engine, run: Run): Promise<number> {
  let count = run.history.packedSteps;
  let after: string | undefined;
  do {
    const page = await engine.table.query({
      pk: runPk(run),
      prefix: stepPrefix(run.incarnation, run.history.generation),
      attributes: ['sk'],
      consistent: true,
      ...(after === undefined ? {} : { after }),
    });
    count += page.items.length;
    after = page.next ?? undefined;
  } while (after !== undefined);
  return count;
}

/** The run would outlive its history: some of it could expire before the given time plus the retention. */
export const outlives = (run: Run, until: number): boolean =>
  until + 2 * 86_400_000 > Math.min(run.history.safeUntil, run.history.looseSince) + HISTORY_SLACK_MS;
