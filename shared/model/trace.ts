/** An outcome that the workflow was told of: the how-manieth, and by the owner of which epoch. */
export interface Told {
  readonly order: number;
  readonly epoch: number;
}

export const NOTHING_TOLD: Told = { order: 0, epoch: 0 };

/** Where in an execution of the workflow something is asked for; left out by workers that do not replay. */
export interface Place {
  /** How many things had been asked for before. */
  readonly position?: number | undefined;
  /** How many outcomes the workflow had been told of. */
  readonly seen?: number | undefined;
  /** How many sleeps had ended that it waited for alone: nothing is recorded for those. */
  readonly slept?: number | undefined;
  /** The last outcome that its owner was told of from the record; the ones after it are the owner's own. */
  readonly base?: Told | undefined;
}

/** Where a step stands in the execution of one owner, as that owner said. */
export interface Trace {
  readonly epoch: number;
  readonly position: number | null;
  readonly seen: number | null;
  readonly slept: number;
  readonly base: Told;
  /** The how-manieth outcome of which the workflow was told; null before. */
  readonly order: number | null;
}

/** Of a step that one owner has recorded alone: its own word, or none. */
export function traceBy(epoch: number, place: Place, order?: number): readonly Trace[] {
  const { position, seen, slept = 0, base = NOTHING_TOLD } = place;
  if (position === undefined && seen === undefined && order === undefined) return [];
  return [{ epoch, position: position ?? null, seen: seen ?? null, slept, base, order: order ?? null }];
}

/** What other owners said stays said: which of them counts is known only later. The latest comes last. */
const withTraces = (traces: readonly Trace[], own: readonly Trace[]): readonly Trace[] => [
  ...traces.filter(({ epoch }) => own.every((trace) => trace.epoch !== epoch)),
  ...own,
];

/** The workflow of this owner was told of the outcome. What is not said now is as the owner said it before. */
export function toldBy(traces: readonly Trace[], epoch: number, order: number, place: Place = {}): readonly Trace[] {
  const own = traces.find((trace) => trace.epoch === epoch);
  const isSaid = own === undefined || place.position !== undefined || place.seen !== undefined;
  return withTraces(traces, isSaid ? traceBy(epoch, place, order) : [{ ...own, order }]);
}
