/** Seeds that once broke something, what they broke, and what was wrong with the engine. */
export const REGRESSIONS: readonly { readonly seed: number; readonly invariant: string; readonly was: string }[] = [
  { seed: 100, invariant: 'I13', was: 'a result that was on its way when the code ended counted as a mismatch' },
  { seed: 104, invariant: 'I13', was: 'a step that was retried counted twice, and the history seemed to lack one' },
  { seed: 112, invariant: 'I10', was: 'a slow proof of ownership was not looked at again before the body started' },
  { seed: 113, invariant: 'I15', was: 'a branch that nobody waited for any more made the record unreadable' },
];
