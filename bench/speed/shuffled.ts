import type { SeededRandom } from '../../test/helpers/seeded-random.ts';

/** In an order by chance, so that nobody always comes after the same one. */
export function shuffled<T>(list: readonly T[], random: SeededRandom): readonly T[] {
  const left = [...list];
  const all: T[] = [];
  while (left.length > 0) all.push(...left.splice(random.between(0, left.length - 1), 1));
  return all;
}
