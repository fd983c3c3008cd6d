import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Run } from '../../shared/model/run.ts';
import { headKey } from '../../shared/store/keys.ts';
import { listRuns } from '../../shared/usecases/list-runs.ts';
import { startRun } from '../../shared/usecases/start-run.ts';
import { type TestEngine, testEngine } from '../helpers/test-engine.ts';

let test: TestEngine;
beforeEach(async () => {
  test = await testEngine();
});
afterEach(() => test.close());

const start = async (externalId: string): Promise<Run> =>
  (await startRun(test.engine, { namespace: 'shop', workflowType: 'order', taskQueue: 'default', externalId })).run;

it('a run of a newer format is left out of the list and logged, and hides no other', async () => {
  const newer = await start('newer');
  const other = await start('other');
  await test.engine.table.update(headKey(newer), { set: { v: 999 } });
  const { runs } = await listRuns(test.engine, { namespace: 'shop', pageSize: 10 });
  expect(runs.map(({ runId }) => runId)).toEqual([other.runId]);
  expect(test.telemetry.lines).toContainEqual(expect.objectContaining({ message: 'a run cannot be read' }));
});
