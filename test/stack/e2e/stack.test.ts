import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { skipLoudly } from '../../helpers/skip-loudly.ts';
import { E2eWorld, findEngine } from './e2e-world.ts';
import { runScenario } from './run-scenarios.ts';
import { SCENARIOS } from './scenarios.ts';

const engine = findEngine();

/** The short form; `npm run e2e:stack` is the whole of it. */
if ('unavailable' in engine) skipLoudly('the stack on this machine', engine.unavailable);
else {
  describe('the stack on this machine', () => {
    let world: E2eWorld;
    beforeAll(async () => {
      world = await E2eWorld.open();
    }, 180_000);
    afterAll(() => world?.close(), 60_000);

    it.each(SCENARIOS.filter(({ short }) => short))('$name', async (scenario) => {
      expect((await runScenario(world, scenario)).problem).toBeNull();
    });
  });
}
