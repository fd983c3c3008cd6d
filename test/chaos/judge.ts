import { isDeepStrictEqual } from 'node:util';
import type { LedgerLine, SeenLine, StartLine } from './ledger.ts';
import { operationsOf, type Program, totalOf } from './program.ts';
import type { Acknowledged, RunRecord, StepRecord } from './records.ts';

export interface Evidence {
  readonly acknowledged: readonly Acknowledged[];
  readonly records: ReadonlyMap<string, RunRecord>;
  /** Every run the engine lists, children included. */
  readonly listed: readonly string[];
  readonly lines: readonly LedgerLine[];
}

export interface Finding {
  readonly runId: string;
  readonly what: string;
}

export interface Verdict {
  /** Children included. */
  readonly runs: number;
  /** Recorded results of bodies. */
  readonly steps: number;
  /** Acknowledged runs that are missing, have not ended well, or have ended with something else than their program says. */
  readonly lost: readonly Finding[];
  /**
   * Bodies that were started on a proof of ownership sent after their step's outcome, or their attempt's failure, had
   * been recorded; results that changed; runs that nobody asked for; second starts of what may start once.
   */
  readonly doubled: readonly Finding[];
  /** Idempotency keys that changed between executions of a step, or that two steps have in common. */
  readonly keys: readonly Finding[];
  /** Executions of an attempt after its first: what `at least once` allows. */
  readonly reexecuted: number;
}

const placeOf = ({ runId, path }: { readonly runId: string; readonly path: string }): string => `${runId} ${path}`;

export function judge(evidence: Evidence): Verdict {
  const starts = grouped(evidence.lines.filter((line): line is StartLine => line.what === 'start'));
  const seen = grouped(evidence.lines.filter((line): line is SeenLine => line.what === 'seen'));
  const verdict = { runs: 0, steps: 0, lost: [] as Finding[], doubled: [] as Finding[] };
  const asked = new Set<string>();

  const judgeRun = (runId: string, program: Program): ReadonlySet<string> => {
    asked.add(runId);
    verdict.runs += 1;
    const lost = (what: string): void => void verdict.lost.push({ runId, what });
    const doubled = (what: string): void => void verdict.doubled.push({ runId, what });
    const record = evidence.records.get(runId);
    const interrupted = new Set<string>();
    if (record === undefined) {
      lost('is not there');
      return interrupted;
    }
    for (const { path, operation } of operationsOf(program)) {
      const step = record.steps.get(path);
      if (operation.kind === 'nap' || operation.kind === 'parallel') continue;
      if (operation.kind === 'child') {
        if (step?.childRunId == null) continue;
        for (const inner of judgeRun(step.childRunId, operation.program)) interrupted.add(`${path}>${inner}`);
        continue;
      }
      if (step?.status === 'FAILED' && step.code === 'STEP_INTERRUPTED') interrupted.add(path);
      const place = placeOf({ runId, path });
      const bodies = starts.get(place) ?? [];
      for (const what of doubledBodies(step, bodies, seen.get(place) ?? [])) doubled(`step ${path} ${what}`);
      if (operation.kind === 'once' && bodies.length > 1)
        doubled(`step ${path} may start once and was started ${bodies.length} times`);
      if (step?.status === 'COMPLETED') {
        verdict.steps += 1;
        const wanted = operation.kind === 'flaky' ? operation.failures + 1 : 1;
        const accepted = bodies.find(({ by }) => by === step.output?.by);
        if (accepted === undefined) lost(`step ${path} has a result that no body has made`);
        else if (accepted.attempt !== wanted)
          lost(`step ${path} was accepted in attempt ${accepted.attempt}, not ${wanted}`);
      }
    }
    const wrong = wrongEnd(record, program, interrupted);
    if (wrong !== null) lost(wrong);
    return interrupted;
  };

  for (const { runId, program } of evidence.acknowledged) judgeRun(runId, program);
  const extra = evidence.listed.filter((runId) => !asked.has(runId));
  verdict.doubled.push(...extra.map((runId) => ({ runId, what: 'is a run that nobody has asked for' })));
  return { ...verdict, keys: keyBreaches(starts), reexecuted: reexecutions(starts) };
}

function grouped<T extends { readonly runId: string; readonly path: string }>(lines: readonly T[]): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const line of lines) groups.set(placeOf(line), [...(groups.get(placeOf(line)) ?? []), line]);
  return groups;
}

function wrongEnd(record: RunRecord, program: Program, interrupted: ReadonlySet<string>): string | null {
  if (record.status !== 'COMPLETED') return `is ${record.status} (${record.error ?? 'no error'})`;
  const total = totalOf(program, interrupted);
  if (record.output?.total !== total) return `answered ${record.output?.total}, not ${total}`;
  const recorded = [...record.steps.values()].flatMap(({ path, output }) =>
    output === undefined ? [] : [[path, output.by] as const],
  );
  const accepted = Object.fromEntries(recorded);
  if (!isDeepStrictEqual(record.output.accepted, accepted)) return 'went on with other results than are recorded';
  const missing = operationsOf(program).filter(
    ({ path, operation: { kind } }) =>
      (kind === 'step' || kind === 'flaky' || kind === 'once') &&
      !interrupted.has(path) &&
      accepted[path] === undefined,
  );
  return missing.length === 0 ? null : `has no result of ${missing.map(({ path }) => path).join(', ')}`;
}

/** All times are of one machine's clock, and a recorded time is taken before the record is written. */
function doubledBodies(
  step: StepRecord | undefined,
  bodies: readonly StartLine[],
  seen: readonly SeenLine[],
): string[] {
  const finishedAt = step?.finishedAt ?? Number.POSITIVE_INFINITY;
  const late = bodies.flatMap((body) => {
    const failedAt = Math.min(...bodies.filter(({ attempt }) => attempt > body.attempt).map(({ at }) => at));
    const seenAt = Math.min(...seen.map(({ at }) => at));
    const over = Math.min(finishedAt, seenAt, failedAt);
    return body.provenFrom > over
      ? [`was executed again ${body.provenFrom - over} ms after its outcome was recorded`]
      : [];
  });
  const accepted = step?.output?.by;
  const changed = new Set(seen.map(({ by }) => by).filter((by) => by !== accepted));
  return [...late, ...[...changed].map(() => 'had another result before')];
}

function keyBreaches(starts: ReadonlyMap<string, readonly StartLine[]>): Finding[] {
  const owners = new Map<string, string>();
  const breaches: Finding[] = [];
  for (const [place, bodies] of starts) {
    const [runId = '', path] = place.split(' ');
    const breach = (what: string): void => void breaches.push({ runId, what: `step ${path} ${what}` });
    const keys = new Set(bodies.map(({ key }) => key));
    if (keys.size > 1) breach(`had ${keys.size} idempotency keys`);
    for (const key of keys) {
      const other = owners.get(key);
      if (other !== undefined) breach(`has the idempotency key of ${other}`);
      owners.set(key, place);
    }
  }
  return breaches;
}

function reexecutions(starts: ReadonlyMap<string, readonly StartLine[]>): number {
  let count = 0;
  for (const bodies of starts.values()) count += bodies.length - new Set(bodies.map(({ attempt }) => attempt)).size;
  return count;
}
