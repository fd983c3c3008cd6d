/** The request that a piece of work goes back to, as tracing tools know it. */
export interface RequestTrace {
  /** 32 hexadecimal digits. */
  readonly id: string;
  /** The part of it that caused this one: 16 hexadecimal digits. */
  readonly parent?: string;
  /** Whether it is recorded; left to whoever records, if not said. */
  readonly sampled?: boolean;
}

const ROOT = /(?:^|;)Root=1-([0-9a-f]{8})-([0-9a-f]{24})(?:;|$)/;
const PARENT = /(?:^|;)Parent=([0-9a-f]{16})(?:;|$)/;
const SAMPLED = /(?:^|;)Sampled=([01])(?:;|$)/;
const TRACEPARENT = /^00-(?!0{32})([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

/** From a header of X-Ray, as Lambda and SQS hand it over; null for anything else. */
export function traceOfXray(header: string): RequestTrace | null {
  const [, time, rest] = ROOT.exec(header) ?? [];
  if (time === undefined || rest === undefined) return null;
  const [, parent] = PARENT.exec(header) ?? [];
  const [, sampled] = SAMPLED.exec(header) ?? [];
  return {
    id: time + rest,
    ...(parent !== undefined && { parent }),
    ...(sampled !== undefined && { sampled: sampled === '1' }),
  };
}

/** From a `traceparent` of W3C; null for anything else. */
export function traceOfTraceparent(header: string): RequestTrace | null {
  const [, id, parent, flags] = TRACEPARENT.exec(header) ?? [];
  if (id === undefined || parent === undefined || flags === undefined) return null;
  return { id, parent, sampled: Number.parseInt(flags, 16) % 2 === 1 };
}

/** As W3C has it; null if nobody knows what part of the trace this belongs to. */
export const traceparentOf = ({ id, parent, sampled }: RequestTrace): string | null =>
  parent === undefined ? null : `00-${id}-${parent}-${sampled === true ? '01' : '00'}`;

export const xrayHeader = ({ id, parent, sampled }: RequestTrace): string =>
  [
    `Root=1-${id.slice(0, 8)}-${id.slice(8)}`,
    ...(parent === undefined ? [] : [`Parent=${parent}`]),
    ...(sampled === undefined ? [] : [`Sampled=${sampled ? 1 : 0}`]),
  ].join(';');
