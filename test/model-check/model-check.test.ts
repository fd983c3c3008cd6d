import { beforeAll, describe, expect, it } from 'vitest';
import { skipLoudly } from '../helpers/skip-loudly.ts';
import { CHECKS, MUTANTS } from './models.ts';
import { checkModels, type Report } from './run-checks.ts';
import { SMALL, search, whyNot } from './spin.ts';

const TIMEOUT_MS = 300_000;
const title = 'the models of the protocol';
const missing = whyNot();

if (missing !== null) skipLoudly(title, missing);
else
  describe(title, () => {
    let report: Report;
    beforeAll(async () => {
      report = await checkModels({ deep: false }, () => undefined);
    }, TIMEOUT_MS);

    it.each(CHECKS)('$model: $name ($mode): in every state there is', ({ model, name, mode }) => {
      const checked = report.checks.find((check) => check.model === model && check.name === name);
      expect(checked).toMatchObject({ mode, violated: null, truncated: null });
      expect(checked?.states).toBeGreaterThan(1_000);
    });

    it.each(MUTANTS)('$model with $name breaks "$caughtBy": $breaks', ({ model, name, caughtBy }) => {
      const hunted = report.mutants.find(({ mutant, ...rest }) => rest.model === model && mutant === name);
      expect(hunted).toMatchObject({ caughtBy });
    });

    it('have no place that no search comes to', () => {
      expect(report.unreached).toEqual([]);
      expect(report.wrong).toEqual([]);
    });

    it('say so when memory did not suffice to look at every state', async () => {
      const [check] = CHECKS;
      if (check === undefined) throw new Error('there is no check');
      const found = await search(check, { ...SMALL, megabytes: 12 });
      expect(found).toMatchObject({ violated: null, truncated: 'reached -DMEMLIM bound' });
    });
  });
