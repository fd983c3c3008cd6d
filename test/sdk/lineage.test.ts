import { describe, expect, it } from 'vitest';
import type { RecordedStep, StepState } from '../../sdk/replay/journal.ts';
import { lineageOf } from '../../sdk/replay/lineage.ts';
import type { Trace } from '../../shared/model/trace.ts';

const DONE: StepState = { status: 'COMPLETED', output: undefined, finishedAt: 0 };

/** One owner: its epoch, and the outcome of another owner's from which it counts on. */
const owner =
  (epoch: number, order = 0, by = 0) =>
  (trace: Partial<Trace> = {}): Trace => ({
    epoch,
    base: { order, epoch: by },
    position: null,
    seen: 0,
    slept: 0,
    order: null,
    ...trace,
  });

const step = (key: string, ...traces: readonly Trace[]): RecordedStep => ({
  key,
  kind: 'FUNCTION',
  traces,
  attempt: 1,
  startedAt: 0,
  childRunId: null,
  childType: null,
  state: DONE,
});

const toldKeys = (...steps: readonly RecordedStep[]): readonly string[] => lineageOf(steps).told.map(({ key }) => key);
const askedKeys = (...steps: readonly RecordedStep[]): readonly string[] =>
  lineageOf(steps).asks.map(({ key, position }) => `${key}@${position}`);

const one = owner(1);

describe('what the code was told', () => {
  it('is what its only owner recorded, in its order', () => {
    const steps = [step('b', one({ order: 2 })), step('c', one()), step('a', one({ order: 1 }))];
    expect(toldKeys(...steps)).toEqual(['a', 'b']);
    expect(lineageOf(steps).base).toEqual({ order: 2, epoch: 1 });
  });

  it('ends before a record that is missing, because what lies behind it was told to nobody', () => {
    expect(toldKeys(step('a', one({ order: 1 })), step('c', one({ order: 3 })))).toEqual(['a']);
  });

  it('is what the next owner went on with, not what the one before wrote later under the same order', () => {
    const two = owner(2, 1, 1);
    const steps = [step('a', one({ order: 1 })), step('late', one({ order: 2 })), step('b', two({ order: 2 }))];
    expect(toldKeys(...steps)).toEqual(['a', 'b']);
    expect(lineageOf(steps).base).toEqual({ order: 2, epoch: 2 });
  });

  it('is nothing of a former owner that came to light after the next one had filled the gap', () => {
    // The second order was missing when the next owner came: it told its code of the third anew.
    const two = owner(2, 1, 1);
    const steps = [
      step('a', one({ order: 1 })),
      step('late', one({ order: 2 })),
      step('c', one({ order: 3 }), two({ order: 2 })),
      step('d', two({ order: 3 })),
    ];
    expect(toldKeys(...steps)).toEqual(['a', 'c', 'd']);
  });

  it('follows the latest owner past one that recorded something only after it had lost the run', () => {
    // The second owner found one outcome, the third found three of the first: both count from there.
    const two = owner(2, 1, 1);
    const three = owner(3, 3, 1);
    const steps = [
      step('a', one({ order: 1 })),
      step('b', one({ order: 2 })),
      step('c', one({ order: 3 })),
      step('x', two({ order: 2 })),
      step('y', two({ order: 3 })),
      step('d', three({ order: 4 })),
    ];
    expect(toldKeys(...steps)).toEqual(['a', 'b', 'c', 'd']);
  });

  it('follows an owner that told nothing yet, but asked for something', () => {
    const two = owner(2, 1, 1);
    const steps = [
      step('a', one({ order: 1 })),
      step('b', one({ order: 2 })),
      step('c', two({ position: 1, seen: 1 })),
    ];
    expect(toldKeys(...steps)).toEqual(['a']);
  });

  it('stays what it was for one owner when another says something else of the same step', () => {
    const two = owner(2);
    const three = owner(3, 2, 1);
    const steps = [
      step('a', one({ order: 1 }), two({ order: 1 })),
      step('b', one({ order: 2 })),
      step('c', three({ order: 3 })),
    ];
    expect(toldKeys(...steps)).toEqual(['a', 'b', 'c']);
  });
});

describe('sleeps that the code waited for alone', () => {
  it('are counted before the outcome of what was asked for after them', () => {
    const steps = [step('a', one({ order: 1, slept: 1 })), step('b', one({ order: 2, seen: 1, slept: 3 }))];
    expect(lineageOf(steps)).toMatchObject({ told: [{ slept: 1 }, { slept: 3 }], slept: 3 });
  });

  it('are known from whatever was asked for after them, told or not', () => {
    const two = owner(2, 1, 1);
    const steps = [step('a', one({ order: 1 })), step('nap', two({ position: 2, seen: 1, slept: 2 }))];
    expect(lineageOf(steps)).toMatchObject({ told: [{ slept: 0 }], slept: 2 });
  });

  it('do not count if only an owner that went another way slept', () => {
    // The first owner saw the sleep end; the second, which did not know, told its code of the cancellation instead.
    const two = owner(2);
    const steps = [
      step('after', one({ position: 1, slept: 1 })),
      step('$cancel', two({ position: 1, order: 1 })),
      step('undo', two({ position: 1, seen: 1, order: 2 })),
    ];
    expect(lineageOf(steps)).toMatchObject({ told: [{ key: '$cancel', slept: 0, asks: 1 }, { slept: 0 }], slept: 0 });
    expect(askedKeys(...steps)).toEqual(['undo@1']);
  });
});

describe('what the code asked for', () => {
  it('counts from owners that were told the same by then', () => {
    const two = owner(2, 1, 1);
    const steps = [
      step('a', one({ position: 0, order: 1 })),
      step('same', one({ position: 1, seen: 1 })),
      step('other', one({ position: 2, seen: 2 })),
      step('late', one({ position: 1, seen: 1, order: 2 })),
      step('b', two({ position: 3, seen: 1, order: 2 })),
    ];
    expect(askedKeys(...steps)).toEqual(['a@0', 'same@1', 'b@3']);
  });

  it('stands where its latest owner asked for it', () => {
    const two = owner(2);
    expect(askedKeys(step('a', one({ position: 4 }), two({ position: 2, order: 1 })))).toEqual(['a@2']);
  });

  it('has one thing at each position, that of the latest owner', () => {
    const two = owner(2);
    expect(askedKeys(step('a', one({ position: 0 })), step('b', two({ position: 0 })))).toEqual(['b@0']);
  });
});
