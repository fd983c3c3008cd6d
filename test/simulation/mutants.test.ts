import { expect, it } from 'vitest';
import { MUTANTS } from './mutants.ts';
import { huntAll } from './run-mutants.ts';

it(`catches each of ${MUTANTS.length} engines with one thing wrong`, { timeout: 900_000 }, async () => {
  const all = await huntAll(MUTANTS, () => undefined);
  expect(all.filter(({ by }) => by === null)).toEqual([]);
  expect(all.length).toBe(MUTANTS.length);
});
