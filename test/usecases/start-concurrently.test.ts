import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listRuns } from '../../shared/usecases/list-runs.ts';
import { startRun } from '../../shared/usecases/start-run.ts';
import { DYNAMO_ENGINES } from '../helpers/dynamo-engines.ts';
import { skipLoudly } from '../helpers/skip-loudly.ts';
import { openDynamoTable } from '../helpers/table-adapters.ts';
import { type TestEngine, testEngine } from '../helpers/test-engine.ts';

interface Opened {
  readonly test: TestEngine;
  close(): Promise<void>;
}

function describeStarts(name: string, open: () => Promise<Opened>): void {
  describe(`1,000 starts at once with 100 external ids on ${name}`, () => {
    let opened: Opened;
    beforeAll(async () => {
      opened = await open();
    });
    afterAll(() => opened.close());

    it('make exactly 100 runs, and every caller learns the one of its id', async () => {
      const { engine } = opened.test;
      const starts = await Promise.all(
        Array.from({ length: 1_000 }, async (_, n) => {
          const externalId = `order-${n % 100}`;
          const request = { namespace: 'shop', workflowType: 'order', taskQueue: 'default', externalId };
          return { externalId, ...(await startRun(engine, request)) };
        }),
      );
      expect(starts.filter((started) => !started.alreadyExists)).toHaveLength(100);
      const places = new Set(starts.map(({ externalId, run }) => `${externalId} ${run.runId} ${run.incarnation}`));
      expect(places.size).toBe(100);
      const { runs, total } = await listRuns(engine, { namespace: 'shop', pageSize: 100, includeTotalCount: true });
      expect(total).toEqual({ count: 100, capped: false });
      expect(new Set(runs.map((run) => run.externalId)).size).toBe(100);
      expect(await engine.queue.depth('default', 'shop')).toMatchObject({ ready: 100, delayed: 0, inFlight: 0 });
    }, 90_000);
  });
}

describeStarts('SqliteTable', async () => {
  const test = await testEngine();
  return { test, close: () => test.close() };
});

for (const kind of DYNAMO_ENGINES) {
  const name = `DynamoTable on ${kind.name}`;
  if ('unavailable' in kind.launch) {
    skipLoudly(`1,000 starts at once on ${name}`, kind.launch.unavailable);
    continue;
  }
  describeStarts(name, async () => {
    const dynamo = await openDynamoTable(kind);
    const test = await testEngine({ table: dynamo.table });
    return {
      test,
      async close() {
        await test.close();
        await dynamo.close();
      },
    };
  });
}
