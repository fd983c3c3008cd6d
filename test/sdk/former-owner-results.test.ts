import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RecordedStep, StepPlace } from '../../sdk/replay/journal.ts';
import { DirectJournal, proofNow } from '../../sdk/worker/direct-journal.ts';
import type { Run } from '../../shared/model/run.ts';
import type { Table } from '../../shared/ports/table.ts';
import type { EngineParts } from '../../shared/store/engine.ts';
import { claimRun } from '../../shared/usecases/claim-run.ts';
import { tableWith } from '../helpers/faulty-parts.ts';
import { type TestEngine, testEngine } from '../helpers/test-engine.ts';
import { lapse, start } from '../helpers/worker-driver.ts';

let test: TestEngine;
/** So many reads take a second. */
let slowReads: number;
beforeEach(async () => {
  slowReads = 0;
  test = await testEngine({ wrap: (parts) => ({ ...parts, table: tableWith(parts.table, { get: slowGet(parts) }) }) });
});
afterEach(() => test.close());

const slowGet =
  ({ table }: EngineParts): Table['get'] =>
  async (key, options) => {
    if (slowReads > 0) {
      slowReads -= 1;
      await test.clock.advance(1_000);
    }
    return table.get(key, options);
  };

async function open(run: Run): Promise<DirectJournal> {
  const sentAt = proofNow(test.engine);
  const claim = await claimRun(test.engine, run, { owner: 'direct', session: null });
  if (claim.outcome !== 'claimed') throw new Error(`the claim was ${claim.outcome}`);
  return DirectJournal.open(test.engine, claim, sentAt);
}

const place = (key: string): StepPlace => ({
  key,
  kind: 'FUNCTION',
  parallelGroup: null,
  position: 0,
  seen: 0,
  slept: 0,
  base: { order: 0, epoch: 0 },
});

const begin = async (journal: DirectJournal, key = 'a'): Promise<RecordedStep | null> =>
  journal.begin(place(key), { attempt: 1, visible: false });

const complete = (journal: DirectJournal, key = 'a', output = '"result"'): Promise<RecordedStep> =>
  journal.complete(place(key), { output, order: 1, attempt: 1, startedAt: test.clock.now() });

const RESULT = { key: 'a', state: { status: 'COMPLETED', output: '"result"' } };

describe('a body that a former owner has finished since the history was read', () => {
  let former: DirectJournal;
  let present: DirectJournal;
  beforeEach(async () => {
    const run = await start(test);
    former = await open(run);
    await lapse(test);
    present = await open(run);
    if (present.steps.length > 0) throw new Error('the present owner has read something');
  });

  it('is not started on a proof that came after its result', async () => {
    await complete(former);
    await test.clock.advance(1_000);
    expect(await begin(present)).toMatchObject(RESULT);
  });

  it('is not started on a renewal that came after its result', async () => {
    await complete(former);
    await present.renew();
    expect(await begin(present)).toMatchObject(RESULT);
  });

  it('is not started on the proof for another one that came after its result', async () => {
    await complete(former);
    await test.clock.advance(1_000);
    expect(await begin(present, 'b')).toBeNull();
    expect(await begin(present)).toMatchObject(RESULT);
  });

  it('is not started at most once either', async () => {
    await complete(former);
    await test.clock.advance(1_000);
    expect(await present.begin(place('a'), { attempt: 1, visible: true })).toMatchObject(RESULT);
  });

  it('may be started on the claim, which came before it', async () => {
    await complete(former);
    test.table.reset();
    expect(await begin(present)).toBeNull();
    expect(test.table.snapshot().calls.get).toBe(0);
  });
});

describe('a body of a run that nobody else has ever held', () => {
  it('costs one read to start a second later, of the head alone', async () => {
    const journal = await open(await start(test));
    await test.clock.advance(1_000);
    test.table.reset();
    expect(await begin(journal)).toBeNull();
    expect(test.table.snapshot().calls.get).toBe(1);
  });
});

describe('a proof', () => {
  it('that takes a second or more to get is none: another one is got', async () => {
    const journal = await open(await start(test));
    await test.clock.advance(1_000);
    slowReads = 2;
    expect(await begin(journal)).toBeNull();
    expect(slowReads).toBe(0);
  });

  it('that can never be got in time starts nothing', async () => {
    const journal = await open(await start(test));
    await test.clock.advance(1_000);
    slowReads = 1_000;
    await expect(begin(journal)).rejects.toThrow('the store took longer than 1000 ms to answer');
  });
});
