import { describe, expect, it } from 'vitest';
import { Scope } from '../../sdk/replay/scope.ts';

const keyIn = (branch: string, step: string): string => new Scope().branches('parallel')(branch).key(step);

describe('the key of a step', () => {
  it('is its id, if that has no mark of its own', () => {
    const scope = new Scope();
    expect(['charge card', 'a()', 'x:1', 'é 😀', 'a%2Fb'].map((id) => scope.key(id))).toEqual([
      'charge card',
      'a()',
      'x:1',
      'é 😀',
      'a%2Fb',
    ]);
    expect(scope.key('charge card')).toBe('charge card#2');
    expect(keyIn('x', 'y')).toBe('parallel()/x/y');
  });

  it('differs for whatever differs in scope, branch, id or occurrence', () => {
    const parts = ['x', '/', '#', '~', '#2', 'x/', '/x', '//x', 'x#2', '~1', '~01', 'parallel()', 'parallel()/x/y'];
    const keys = [
      ...parts.map((id) => new Scope().key(id)),
      ...parts.flatMap((branch) => parts.map((step) => keyIn(branch, step))),
      ...parts.flatMap((branch) => parts.map((id) => new Scope().branches(id)(branch).key('s'))),
      ...parts.map((id) => {
        const scope = new Scope();
        scope.key(id);
        return scope.key(id);
      }),
    ];
    expect(new Set(keys).size).toBe(keys.length);
  });

  it.each(['', '.', '..', '$cancel', 'a\u0000b', '\ud800'])('refuses the step id %j and the map id', (id) => {
    expect(() => new Scope().key(id)).toThrow(TypeError);
    expect(() => new Scope().branches(id)).toThrow(TypeError);
  });

  it.each(['', 'a\u0000b', '\ud800'])('refuses the branch name %j', (name) => {
    expect(() => new Scope().branches('parallel')(name)).toThrow('is no branch name');
  });
});
