import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { Run } from '../model/run.ts';
import type { Step } from '../model/step.ts';
import type { Item, Value } from '../ports/table.ts';
import type { Engine } from './engine.ts';
import { FORMAT, packSk, runPk, stepPrefix } from './keys.ts';
import { type HeadWrite, writeHead } from './run-head.ts';
import { encodePacks } from './run-item.ts';
import { HISTORY_SLACK_MS } from './runs.ts';
import { decodeStep, encodeStep } from './step-item.ts';
import { sureWrite } from './sure-write.ts';

export interface RunHistory {
  readonly steps: readonly Step[];
  /** How many of them are items of their own. */
  readonly unpacked: number;
  readonly readUnits: number;
}

/** All recorded steps, strongly read: chunks of earlier generations, then the items of the current one. */
export async function readHistory(engine: Engine, run: Run): Promise<RunHistory> {
  const packed = await readPacks(engine, run);
  const steps: Step[] = [];
  let readUnits = packed.readUnits;
  let after: string | undefined;
  do {
    const page = await engine.table.query({
      pk: runPk(run),
      prefix: stepPrefix(run.incarnation, run.history.generation),
      consistent: true,
      ...(after === undefined ? {} : { after }),
    });
    readUnits += page.units.read;
    for (const item of page.items) steps.push(decodeStep(item));
    after = page.next ?? undefined;
  } while (after !== undefined);
  return { steps: [...packed.steps, ...steps], unpacked: steps.length, readUnits };
}

async function readPacks(engine: Engine, run: Run): Promise<{ steps: Step[]; readUnits: number }> {
  const keys = run.history.packs.flatMap(({ epoch, parts }) =>
    Array.from({ length: parts }, (_, part) => ({ pk: runPk(run), sk: packSk(run.incarnation, epoch, part) })),
  );
  if (keys.length === 0) return { steps: [], readUnits: 0 };
  const { items, units } = await engine.table.batchGet(keys, { consistent: true });
  return { steps: items.flatMap(unpack), readUnits: units.read };
}

/** Above this many loose items the next claim packs them. */
export const PACK_ABOVE = 200;
/** Above this many packs they are written anew as one, so that the head stays small. */
const MAX_PACKS = 30;
const STEPS_PER_CHUNK = 1_000;
const MAX_CHUNK_BYTES = 300 * 1024;

/**
 * Copies loose steps into chunks and opens the next generation. Only the owner of the current epoch does it, while
 * none of its own writes is under way. What a former owner may still write into the old generation is read by
 * nobody and was acknowledged to nobody: over HTTP a result is acknowledged only after the epoch was seen again.
 * The loose items stay, so nothing can be recorded twice, and expire by themselves.
 */
export async function packHistory(
  engine: Engine,
  run: Run,
  history: RunHistory,
  safeUntil: number,
): Promise<HeadWrite> {
  const all = run.history.packs.length >= MAX_PACKS || safeUntil > run.history.safeUntil;
  const steps = all ? history.steps : history.steps.slice(history.steps.length - history.unpacked);
  const chunks = chunk(steps.map(encodeStep));
  const ttl = Math.ceil((safeUntil + engine.config.retentionMs + HISTORY_SLACK_MS) / 1000);
  let writeUnits = 0;
  for (const [part, bytes] of chunks.entries()) {
    const item: Item = { pk: runPk(run), sk: packSk(run.incarnation, run.epoch, part), v: FORMAT, b: bytes, ttl };
    writeUnits += (await sureWrite(engine, () => engine.table.put(item))).units.write;
  }
  const pack = { epoch: run.epoch, parts: chunks.length };
  return writeHead(engine, run, {
    transition: 'touch',
    fence: run,
    status: run.status,
    set: {
      hg: run.history.generation + 1,
      hp: encodePacks(all ? [pack] : [...run.history.packs, pack]),
      hn: history.steps.length,
      hs: all ? safeUntil : run.history.safeUntil,
      n: history.steps.length,
    },
    due: 'keep',
    spent: { writeUnits, readUnits: history.readUnits },
  });
}

function chunk(steps: readonly Record<string, Value>[]): Uint8Array[] {
  const chunks: Uint8Array[] = [];
  const add = (some: readonly Record<string, Value>[]): void => {
    const bytes = new Uint8Array(deflateRawSync(JSON.stringify(some, taggedBytes)));
    if (bytes.length <= MAX_CHUNK_BYTES || some.length === 1) {
      chunks.push(bytes);
      return;
    }
    const half = Math.ceil(some.length / 2);
    add(some.slice(0, half));
    add(some.slice(half));
  };
  for (let start = 0; start < steps.length; start += STEPS_PER_CHUNK) add(steps.slice(start, start + STEPS_PER_CHUNK));
  return chunks;
}

const unpack = (item: Item): Step[] => {
  const text = inflateRawSync(item.b as Uint8Array).toString('utf8');
  return (JSON.parse(text, untaggedBytes) as Record<string, Value>[]).map(decodeStep);
};

/** Only payloads are bytes, and only ever as a whole attribute. */
const taggedBytes = (_key: string, value: unknown): unknown =>
  value instanceof Uint8Array ? { $bytes: Buffer.from(value).toString('base64') } : value;
const untaggedBytes = (_key: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && typeof (value as { $bytes?: unknown }).$bytes === 'string'
    ? new Uint8Array(Buffer.from((value as { $bytes: string }).$bytes, 'base64'))
    : value;

/** How many steps there are, for a head about to be left alone; reads no more than it must. */
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
  until + 2 * 86_400_000 > run.history.safeUntil + HISTORY_SLACK_MS;
