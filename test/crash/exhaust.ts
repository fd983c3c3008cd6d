import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import { FAULTS, type FaultKind, Faults, PAUSES } from './faults.ts';
import { Violation } from './ledger.ts';
import { memoryStore, type Store } from './store.ts';
import { type Outcome, outcomes, RECOVERY_MS, requireOblivion, requireRest, settled } from './verify.ts';
import type { Scenario } from './world.ts';
import { type ResumeAt, World } from './world.ts';

interface Play {
  readonly at: number;
  readonly kind: FaultKind;
  readonly workersSurvive?: boolean;
  readonly resumeAt?: ResumeAt;
}

export interface Setting {
  readonly open: () => Store | Promise<Store>;
  readonly watchdogs: number;
  /** How much longer everything may take than with indexes that follow at once. */
  readonly slackMs: number;
  /** Whether the store can forget what has expired. */
  readonly forgets: boolean;
}

const PLAIN: Setting = { open: () => memoryStore(), watchdogs: 1, slackMs: 0, forgets: true };
/** Port calls are counted from 1. */
const NEVER = 0;
const MAX_BASELINE_MS = 2 * 3_600_000;

interface Played {
  readonly calls: number;
  readonly outcome: readonly Outcome[];
  readonly tookMs: number;
  readonly struck: string | null;
  readonly overtaken: number;
  readonly lost: number;
}

async function play(scenario: Scenario, setting: Setting, deadlineMs: number, fault: Play | null): Promise<Played> {
  const store = await setting.open();
  const faults = new Faults(fault?.at ?? null, fault?.kind ?? null);
  const world = new World({
    store,
    faults,
    scenario,
    workersSurvive: fault?.workersSurvive ?? false,
    resumeAt: fault?.resumeAt ?? 'late',
    watchdogs: setting.watchdogs,
    deadlineMs,
  });
  try {
    faults.arm();
    await scenario.play(world);
    await settled(world);
    const { calls } = faults;
    const tookMs = world.now() - world.startedAt;
    await requireRest(world);
    faults.disarm();
    const outcome = await outcomes(world);
    await scenario.verify?.(world);
    if (setting.forgets) await requireOblivion(world);
    if (store.wrongWrites.length > 0) throw new Violation(store.wrongWrites.join(', '));
    const { overtaken, lost } = world.ledger;
    return { calls, outcome, tookMs, struck: faults.struck, overtaken, lost };
  } catch (error) {
    const where = fault === null ? 'without a fault' : `${JSON.stringify(fault)} at ${faults.struck}`;
    throw new Violation(`${scenario.name}, ${where}: ${(error as Error).stack}`, { cause: error });
  } finally {
    await store.close();
  }
}

const REPORTED = 5;
/** To play one again: the fault as a failure prints it. */
const ONLY = process.env['KAGZI_CRASH'];

/** Plays all of them; what goes wrong is reported with the fault that brought it about. */
async function playAll(
  scenario: Scenario,
  setting: Setting,
  expected: Played,
  plays: readonly Play[],
): Promise<{ readonly struck: number; readonly overtaken: number }> {
  const deadlineMs = expected.tookMs + RECOVERY_MS + setting.slackMs;
  const wrong: string[] = [];
  let struck = 0;
  let overtaken = 0;
  for (const fault of plays) {
    if (ONLY !== undefined && ONLY !== JSON.stringify(fault)) continue;
    try {
      const played = await play(scenario, setting, deadlineMs, fault);
      if (played.struck !== null) struck += 1;
      overtaken += played.overtaken;
      if (!isDeepStrictEqual(played.outcome, expected.outcome)) {
        const [got, wanted] = [played.outcome, expected.outcome].map((outcome) =>
          JSON.stringify(outcome).slice(0, 1000),
        );
        wrong.push(`${JSON.stringify(fault)} at ${played.struck}: ended as ${got}, not as ${wanted}`);
      }
      if (isMended(fault, played.struck) && (played.lost > expected.lost || played.tookMs > expected.tookMs)) {
        wrong.push(`${JSON.stringify(fault)} at ${played.struck}: a write was tried again, but taken for lost`);
      }
    } catch (error) {
      wrong.push((error as Error).message);
    }
  }
  expect(`${wrong.length} plays went wrong\n${wrong.slice(0, REPORTED).join('\n')}`).toBe('0 plays went wrong\n');
  return { struck, overtaken };
}

/** A write without an answer is tried again on the spot: nobody notices. */
const isMended = ({ kind }: Play, struck: string | null): boolean =>
  (kind === 'applied-unknown' || kind === 'unavailable' || kind === 'lost-unknown') &&
  /^(table\.(put|update|delete|batchWrite)|blobs\.put) /.test(struck ?? '');

const everyCall = (calls: number, step = 1): readonly number[] =>
  Array.from({ length: Math.floor((calls - 1) / step) + 1 }, (_, index) => index * step + 1);

/** One fault at every so many port calls, the kinds in turn; the outcome is that of indexes that follow at once. */
export function describeSetting(scenario: Scenario, setting: Setting, every: number): void {
  describe(scenario.name, async () => {
    const plain = await play(scenario, PLAIN, MAX_BASELINE_MS, null);
    const base = await play(scenario, setting, MAX_BASELINE_MS, null);
    const kinds: readonly FaultKind[] = [...FAULTS, ...PAUSES];
    const plays = everyCall(base.calls, every).map((at, index): Play => {
      const kind = kinds[index % kinds.length] ?? 'crash-before';
      return {
        at,
        kind,
        resumeAt: 'claim',
        workersSurvive: scenario.direct !== true && !kind.startsWith('pause') && index % 2 === 1,
      };
    });
    it(`ends the same after each of ${plays.length} faults`, async () => {
      expect(base.outcome).toEqual(plain.outcome);
      const { struck } = await playAll(scenario, setting, base, plays);
      expect(struck).toBe(plays.length);
      expect(struck).toBeGreaterThanOrEqual(scenario.minCalls / every);
    });
  });
}

/** Every so many port calls get one kind of fault, in turn, or with 0 each call all of them; for what is no worker's. */
export function describeFaults(scenario: Scenario, every: number): void {
  describe(scenario.name, async () => {
    const expected = await play(scenario, PLAIN, MAX_BASELINE_MS, null);
    const kinds: readonly FaultKind[] = [...FAULTS, ...PAUSES];
    const plays = everyCall(expected.calls, Math.max(1, every)).flatMap((at, index): readonly Play[] =>
      (every === 0 ? kinds : [kinds[index % kinds.length] ?? 'crash-before']).map((kind) => ({ at, kind })),
    );
    it(`ends the same after each of ${plays.length} faults`, async () => {
      expect(expected.calls).toBeGreaterThan(scenario.minCalls);
      expect((await playAll(scenario, PLAIN, expected, plays)).struck).toBe(plays.length);
    });
  });
}

/** One fault of every kind at every port call of the scenario, each in a world of its own. */
export function describeCrashes(scenario: Scenario, setting: Setting = PLAIN): void {
  describe(scenario.name, async () => {
    const expected = await play(scenario, setting, MAX_BASELINE_MS, null);
    const plays = (kinds: readonly FaultKind[], more: Partial<Play> = {}, { calls } = expected): readonly Play[] =>
      everyCall(calls).flatMap((at) => kinds.map((kind) => ({ at, kind, ...more })));
    const run = (all: readonly Play[]) => playAll(scenario, setting, expected, all);

    it('makes as many port calls as it should', () => {
      expect(expected.calls).toBeGreaterThan(scenario.minCalls);
    });

    const deaths = plays(FAULTS);
    it(`ends the same after each of ${deaths.length} faults, with another worker`, async () => {
      expect((await run(deaths)).struck).toBe(deaths.length);
    });

    if (scenario.direct !== true) {
      const workersSurvive = true;
      // Every request goes to an engine that remembers nothing, so there are more calls.
      const base = await play(scenario, setting, MAX_BASELINE_MS, { at: NEVER, kind: 'crash-before', workersSurvive });
      const kinds = scenario.slow ? (['crash-before', 'crash-after'] as const) : FAULTS;
      const apart = plays(kinds, { workersSurvive }, base);
      it(`ends the same after each of ${apart.length} faults, with workers that ask again`, async () => {
        expect((await run(apart)).struck).toBe(apart.length);
      });

      const late = plays(PAUSES, { workersSurvive }, base);
      it(`is not touched by those of ${late.length} requests that came late`, async () => {
        expect((await run(late)).struck).toBe(late.length);
      });
    }

    const moments: readonly ResumeAt[] = scenario.slow ? ['claim'] : ['late', 'claim', 'body'];
    const zombies = [...moments, ...(scenario.moments ?? [])].flatMap((resumeAt) => plays(PAUSES, { resumeAt }));
    it(`is not touched by those who went on after each of ${zombies.length} pauses`, async () => {
      const { struck, overtaken } = await run(zombies);
      expect(struck).toBe(zombies.length);
      expect(overtaken).toBeGreaterThan(zombies.length / 10);
    });
  });
}
