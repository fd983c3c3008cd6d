import { KagziError } from '../model/errors.ts';
import type { RunId } from '../model/run.ts';
import type { Step } from '../model/step.ts';
import type { StoredPayload } from '../model/stored-payload.ts';
import type { Condition, Key } from '../ports/table.ts';
import type { Engine } from './engine.ts';
import { runPk, stepSk } from './keys.ts';
import { encodePayload } from './payloads.ts';
import { HISTORY_SLACK_MS } from './runs.ts';
import { decodeStep, stepItem } from './step-item.ts';
import { surelyWritten, sureWrite } from './sure-write.ts';

/** The part of a run that its steps are written under. */
export interface StepScope extends RunId {
  readonly incarnation: string;
  readonly generation: number;
}

export const stepKey = (scope: StepScope, stepId: string): Key => ({
  pk: runPk(scope),
  sk: stepSk(scope.incarnation, scope.generation, stepId),
});

export const stepTtl = (engine: Engine, from: number): number =>
  Math.ceil((from + engine.config.retentionMs + HISTORY_SLACK_MS) / 1000);

/** A step's payloads lie in its own item, or in a blob. */
export const STEP_INLINE = { inlineBytes: 1024, ownItem: false } as const;

export type StepWrite = { readonly ok: true; readonly step: Step } | { readonly ok: false; readonly current: Step };

/** Nothing recorded yet: the first writer wins. */
export const FIRST: Condition = { op: 'missing', attr: 'pk' };
/** Still exactly what the writer has seen. */
export const unchanged = (seen: Step): Condition => ({ op: '=', attr: 'w', value: seen.writeId });
/** The same of a step that may lie in a pack, and has no item of its own then. */
export const unchangedOrPacked = (seen: Step): Condition => ({ op: 'or', of: [FIRST, unchanged(seen)] });

/**
 * One write unit for a small step. The loser gets what is recorded; our own ambiguous write is no loss.
 * `expect` must fail once this write has been applied. The step is the caller's own, and is told what it has cost:
 * a copy of so large an object takes longer than the rest of this.
 */
export function writeStep(
  engine: Engine,
  scope: StepScope,
  step: Step,
  expect: Condition,
  lastsFrom = engine.clock.now(),
): Promise<StepWrite> {
  const key = stepKey(scope, step.stepId);
  const { item, units } = stepItem(key, step, stepTtl(engine, lastsFrom));
  const put = () => engine.table.put(item, expect);
  return surelyWritten(engine, put, (result): StepWrite => {
    if (result.ok) {
      (step as { writeUnits: number }).writeUnits += units;
      return { ok: true, step };
    }
    // Removed under our feet: only a purge of the ended run does that.
    if (result.current === null) throw runGone(scope);
    const current = decodeStep(result.current);
    return current.writeId === step.writeId ? { ok: true, step: current } : { ok: false, current };
  });
}

const runGone = ({ runId }: StepScope): KagziError => new KagziError('RUN_NOT_FOUND', `There is no run ${runId}.`);

/** Only the unpacked generation: a running attempt's step is always there. */
export async function readStep(engine: Engine, scope: StepScope, stepId: string): Promise<Step | null> {
  const { item } = await engine.table.get(stepKey(scope, stepId), { consistent: true });
  return item === null ? null : decodeStep(item);
}

/** The result of an attempt that begin recorded: one update, no read, only while that attempt is the latest. */
export async function completeBegunStep(
  engine: Engine,
  scope: StepScope,
  stepId: string,
  result: {
    readonly leaseToken: string;
    readonly output: StoredPayload | null;
    readonly finishedAt: number;
    readonly order: number | undefined;
  },
): Promise<{ readonly ok: true; readonly step: Step } | { readonly ok: false; readonly current: Step | null }> {
  const writeId = engine.ids.writeId();
  const write = await sureWrite(engine, () =>
    engine.table.update(
      stepKey(scope, stepId),
      {
        set: {
          st: 'COMPLETED',
          w: writeId,
          c2: result.finishedAt,
          ...(result.output === null ? {} : { out: encodePayload(result.output) }),
          ...(result.order === undefined ? {} : { or: result.order }),
        },
        add: { u: 1, ru: 1 },
        remove: ['nr', 'err'],
      },
      {
        op: 'and',
        of: [
          { op: '=', attr: 'st', value: 'RUNNING' },
          { op: '=', attr: 'lt', value: result.leaseToken },
        ],
      },
    ),
  );
  if (write.ok) return { ok: true, step: decodeStep(write.item) };
  const current = write.current === null ? null : decodeStep(write.current);
  return current?.writeId === writeId ? { ok: true, step: current } : { ok: false, current };
}
