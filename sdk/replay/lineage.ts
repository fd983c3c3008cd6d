import { NOTHING_TOLD, type Told, type Trace } from '../../shared/model/trace.ts';
import type { RecordedStep } from './journal.ts';

/** An outcome the code was told of, after so many sleeps that it had waited for alone. */
export interface ToldOutcome {
  readonly key: string;
  readonly slept: number;
  /** Of what the code did not ask for itself: how many things it had asked for by then. */
  readonly asks: number | null;
}

/** Something the code asked for, and what it had been told by then. */
export interface RecordedAsk {
  readonly key: string;
  readonly position: number;
  /** Null if its worker did not say. */
  readonly seen: number | null;
  readonly slept: number;
}

/** What the last owner that recorded anything did, as far as the record proves it. */
export interface Lineage {
  readonly told: readonly ToldOutcome[];
  readonly slept: number;
  /** The last of what was told: whoever goes on counts from here. */
  readonly base: Told;
  /** By position, each of which occurs once. */
  readonly asks: readonly RecordedAsk[];
}

interface Mark {
  readonly key: string;
  readonly trace: Trace;
}

/** What one owner has told its code itself, by order, after what it had found. */
interface Owner {
  readonly base: Told;
  readonly told: Map<number, Mark>;
}

/** Keys that begin so are the engine's. */
const isOwnKey = (key: string): boolean => key.startsWith('$');

/**
 * Which of the traces of several owners count. An owner tells its code what it found when it took the run, then what
 * it records itself, order by order and without a gap; so owners are a tree of branches, and the branch of the latest
 * one is what its code has seen. What is recorded behind a gap, or on another branch, nobody on this one was told of.
 */
export function lineageOf(steps: readonly RecordedStep[]): Lineage {
  const marks = steps.flatMap(({ key, traces }) => traces.map((trace): Mark => ({ key, trace })));
  const owners = ownersOf(marks);
  const tip = marks.reduce((latest, { trace }) => Math.max(latest, trace.epoch), 0);
  const branch = branchTo(owners, tip);
  const marksTold: Mark[] = [];
  for (let mark = branch.told.get(1); mark !== undefined; mark = branch.told.get(marksTold.length + 1)) {
    marksTold.push(mark);
  }
  let slept = 0;
  const told = marksTold.map(({ key, trace }): ToldOutcome => {
    slept = Math.max(slept, trace.slept);
    return { key, slept, asks: isOwnKey(key) ? trace.position : null };
  });
  const shared = sharedOrders(owners, branch.ends, told.length);
  const belongs = ({ epoch, seen, slept: by }: Trace): boolean => {
    if (seen === null) return epoch === tip;
    if (seen > (shared.get(epoch) ?? 0)) return false;
    const after = told[seen];
    return after === undefined || by <= after.slept;
  };
  const asks = asksOf(steps, belongs);
  return {
    told,
    slept: asks.reduce((most, ask) => Math.max(most, ask.slept), slept),
    base: { order: told.length, epoch: marksTold.at(-1)?.trace.epoch ?? NOTHING_TOLD.epoch },
    asks: asks.filter(({ key }) => !isOwnKey(key)).sort((a, b) => a.position - b.position),
  };
}

function ownersOf(marks: readonly Mark[]): ReadonlyMap<number, Owner> {
  const owners = new Map<number, Owner>();
  for (const mark of marks) {
    const { epoch, base, order } = mark.trace;
    const owner = owners.get(epoch) ?? { base, told: new Map<number, Mark>() };
    owners.set(epoch, owner);
    if (order !== null) owner.told.set(order, mark);
  }
  return owners;
}

interface Branch {
  readonly told: ReadonlyMap<number, Mark>;
  /** How far each owner on the way to the tip is followed. */
  readonly ends: ReadonlyMap<number, number>;
}

function branchTo(owners: ReadonlyMap<number, Owner>, tip: number): Branch {
  const told = new Map<number, Mark>();
  const ends = new Map<number, number>();
  let end = Number.POSITIVE_INFINITY;
  for (let epoch = tip; !ends.has(epoch); ) {
    const owner = owners.get(epoch);
    if (owner === undefined) break;
    ends.set(epoch, end);
    for (const [order, mark] of owner.told) if (order > owner.base.order && order <= end) told.set(order, mark);
    end = owner.base.order;
    epoch = owner.base.epoch;
  }
  return { told, ends };
}

/** Up to which order the code of each owner was told the same as that of the tip. */
function sharedOrders(
  owners: ReadonlyMap<number, Owner>,
  ends: ReadonlyMap<number, number>,
  length: number,
): ReadonlyMap<number, number> {
  const shared = new Map<number, number>();
  const inOrder = [...owners].sort(([a], [b]) => a - b);
  for (const [epoch, { base }] of inOrder) {
    const found = base.order === 0 ? 0 : Math.min(base.order, shared.get(base.epoch) ?? 0);
    shared.set(epoch, Math.min(ends.get(epoch) ?? found, length));
  }
  return shared;
}

/** Each step where its latest owner asked for it; at one position, the word of the latest owner counts. */
function asksOf(steps: readonly RecordedStep[], belongs: (trace: Trace) => boolean): RecordedAsk[] {
  const byPosition = new Map<number, RecordedAsk & { readonly epoch: number }>();
  const others: RecordedAsk[] = [];
  for (const { key, traces } of steps) {
    const trace = traces.findLast(belongs);
    if (trace === undefined || trace.position === null) continue;
    const { epoch, position, seen, slept } = trace;
    if (isOwnKey(key)) {
      others.push({ key, position, seen, slept });
      continue;
    }
    const rival = byPosition.get(position);
    if (rival === undefined || rival.epoch < epoch) byPosition.set(position, { key, position, seen, slept, epoch });
  }
  return [...byPosition.values(), ...others];
}
