import { describe, expect, it } from 'vitest';
import { fromFailure, toFailure } from '../../sdk/replay/failures.ts';
import { FAILURE_LIMITS } from '../../shared/model/failure.ts';

class Declined extends Error {
  readonly code = 'DECLINED';
}
class Several extends AggregateError {}

/** As a workflow catches it after its step failed with it. */
const caught = (error: unknown): Error => {
  const stored = toFailure(error, true);
  expect(stored.details?.length).toBeLessThanOrEqual(FAILURE_LIMITS.details);
  return fromFailure(stored, 'pay', [Declined, Several]);
};

describe('an error that is too long to be stored whole', () => {
  it.each([
    ['message', new Declined('x'.repeat(9_000))],
    ['message of what must be escaped', new Declined('"\n\u0001'.repeat(9_000))],
    ['property', Object.assign(new Declined('no'), { body: 'x'.repeat(50_000) })],
    ['cause', new Declined('no', { cause: new Error('y'.repeat(50_000)) })],
    ['stack', Object.assign(new Declined('no'), { stack: 'at x\n'.repeat(20_000) })],
  ])('for its %s keeps its class and its code', (_what, error) => {
    const back = caught(error);
    expect(back).toBeInstanceOf(Declined);
    expect(back).toMatchObject({ code: 'DECLINED' });
  });

  it('keeps the properties that are short, and the beginning of its message and of its causes', () => {
    const cause = new TypeError('because', { cause: new RangeError('z'.repeat(50_000)) });
    const error = Object.assign(new Declined('no'.repeat(5_000), { cause }), {
      body: 'x'.repeat(50_000),
      at: new Date(0),
      send: () => 1,
    });
    const back = caught(error) as typeof error;
    expect(back.message).toMatch(/^(no){1000}/);
    expect(back.at).toEqual(new Date(0));
    expect(back).not.toHaveProperty('body');
    expect(back).not.toHaveProperty('send');
    expect(back.cause).toBeInstanceOf(TypeError);
    expect((back.cause as Error).cause).toBeInstanceOf(RangeError);
  });
});

it('gives back the errors of an aggregate, and its class', async () => {
  const error: unknown = await Promise.any([Promise.reject(new Declined('one')), Promise.reject('two')]).catch(
    (thrown: unknown) => thrown,
  );
  const back = caught(error) as AggregateError;
  expect(back).toBeInstanceOf(AggregateError);
  expect(back.errors).toMatchObject([{ message: 'one', code: 'DECLINED' }, 'two']);
  expect(caught(new Several([1], 'many'))).toBeInstanceOf(Several);
});

it('gives back an error of its class, whatever its own properties are called', () => {
  const error = Object.defineProperty(new Declined('no'), '__proto__', { value: { evil: 1 }, enumerable: true });
  const back = caught(error);
  expect(back).toBeInstanceOf(Declined);
  expect(back).not.toHaveProperty('evil');
});

it('gives back what can be stored of an error that has parts which cannot', () => {
  const error = Object.assign(new Declined('no'), { send: () => 1, status: 402, socket: new WeakMap() });
  const back = caught(error) as typeof error;
  expect(back).toBeInstanceOf(Declined);
  expect(back).toMatchObject({ message: 'no', status: 402 });
});
