import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { StepPlace } from '../../sdk/replay/journal.ts';
import { DirectJournal, proofNow } from '../../sdk/worker/direct-journal.ts';
import type { Table } from '../../shared/ports/table.ts';
import { readRun } from '../../shared/store/run-head.ts';
import { claimRun } from '../../shared/usecases/claim-run.ts';
import { listSteps } from '../../shared/usecases/list-steps.ts';
import { requestCancel } from '../../shared/usecases/request-cancel.ts';
import { readRunMessage } from '../../shared/usecases/run-message.ts';
import { type TestEngine, testEngine } from '../helpers/test-engine.ts';
import { start } from '../helpers/worker-driver.ts';

const DAY = 86_400_000;

/** How long each call to the table takes from now on, by name and in turn. */
let takes: Record<string, number[]>;
let calls: string[];
/** Calls that begin now are answered only then. */
let answersAfter: Promise<void> | undefined;
let test: TestEngine;
beforeEach(async () => {
  takes = {};
  calls = [];
  test = await testEngine({ wrap: (parts) => ({ ...parts, table: slowed(parts.table) }) });
});
afterEach(() => test.close());

const slowed = (table: Table): Table =>
  new Proxy(table, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      return async (...args: unknown[]) => {
        calls.push(String(name));
        const after = answersAfter;
        const ms = takes[String(name)]?.shift() ?? 0;
        if (ms > 0) await test.clock.advance(ms);
        const answer: unknown = await (value as (...given: unknown[]) => unknown).apply(target, args);
        await after;
        return answer;
      };
    },
  });

async function held(engine = test.engine): Promise<DirectJournal> {
  await start(test);
  const sentAt = proofNow(engine);
  const [delivery] = await test.queue.receive('default', { max: 1, waitMs: 0, visibilityMs: 1000 });
  const message = delivery && readRunMessage(delivery.body);
  const claim = message && (await claimRun(engine, message, { owner: 'one', session: null }));
  if (claim?.outcome !== 'claimed') throw new Error('the run was not claimed');
  calls = [];
  return DirectJournal.open(engine, claim, sentAt);
}

const place = (key: string, position = 0): StepPlace => ({
  key,
  kind: 'FUNCTION',
  parallelGroup: null,
  position,
  seen: 0,
  slept: 0,
  base: { order: 0, epoch: 0 },
});
const begin = (journal: DirectJournal, visible = false) => journal.begin(place('a'), { attempt: 1, visible });

describe('before a body starts', () => {
  it('nothing is read while the last proof is fresh', async () => {
    const journal = await held();
    await test.clock.advance(999);
    expect(await begin(journal)).toBeNull();
    expect(calls).toEqual([]);
  });

  it('the head is read until the answer is fresh itself', async () => {
    const journal = await held();
    await test.clock.advance(1_000);
    takes = { get: [1_200, 1_000, 999] };
    expect(await begin(journal)).toBeNull();
    expect(calls).toEqual(['get', 'get', 'get']);
  });

  it('the head is read again if recording the start took its time', async () => {
    const journal = await held();
    takes = { put: [1_000] };
    expect(await begin(journal, true)).toBeNull();
    expect(calls).toEqual(['put', 'get']);
  });

  it('it gives up if no answer is ever fresh', async () => {
    const journal = await held();
    takes = { get: Array.from({ length: 50 }, () => 1_000) };
    await test.clock.advance(1_000);
    await expect(begin(journal)).rejects.toThrow('took longer than 1000 ms');
  });
});

describe('a suspension that is refused after the history was packed', () => {
  it('is not forgotten over the answer to a renewal that was sent before', async () => {
    const journal = await held();
    const { run } = journal;
    await journal.complete(place('a'), { output: '1', order: 1, attempt: 1, startedAt: test.clock.now() });
    await requestCancel(test.engine, run, { reason: null, graceMs: 60_000 });
    // The renewal is made now, but its answer comes last.
    let answer = (): void => undefined;
    answersAfter = new Promise((resolve) => {
      answer = resolve;
    });
    const renewing = journal.renew();
    answersAfter = undefined;
    const suspended = await journal.suspend({ at: test.clock.now() + 60 * DAY, status: 'SLEEPING', arrivals: 0 });
    answer();
    await renewing;
    expect(suspended).toBe(false);
    const head = await readRun(test.engine, run);
    expect(head?.history.generation).toBe(1);
    await journal.complete(place('b', 1), { output: '2', order: 2, attempt: 1, startedAt: test.clock.now() });
    const { steps } = await listSteps(test.engine, { ...run, pageSize: 10 });
    expect(steps.map(({ step }) => step.stepId)).toEqual(['a', 'b']);
  });
});
