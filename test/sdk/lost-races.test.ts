import { afterEach, beforeEach, expect, it } from 'vitest';
import { defineWorkflow } from '../../sdk/index.ts';
import type { Table } from '../../shared/ports/table.ts';
import { tableWith } from '../helpers/faulty-parts.ts';
import { type TestEngine, testEngine } from '../helpers/test-engine.ts';
import { WorkflowDriver } from '../helpers/workflow-driver.ts';

const SLOW = 'slow';

let test: TestEngine;
let driver: WorkflowDriver;
beforeEach(async () => {
  test = await testEngine({
    wrap: (parts) => ({ ...parts, table: tableWith(parts.table, { put: slowStart(parts) }) }),
  });
  driver = new WorkflowDriver(test);
});
afterEach(async () => {
  await driver.stop();
  await test.close();
});

/** Whose start is recorded late, but within a second. */
const slowStart =
  ({ table }: { readonly table: Table }): Table['put'] =>
  async (item, condition) => {
    if (item.sk.endsWith(SLOW)) await test.clock.sleep(500);
    return table.put(item, condition);
  };

it.each([
  ['goes on', 3_000],
  ['has ended', 0],
])('a body whose race was decided while its start was recorded does not begin when the run %s', async (_what, rest) => {
  const bodies: string[] = [];
  const flow = defineWorkflow({ type: 'flow' }, async (ctx) => {
    const won = await ctx.race([
      (c) => c.step('fast', () => bodies.push('fast')).then(() => 'fast'),
      (c) => c.step(SLOW, () => bodies.push('slow'), { atMostOnce: true }).then(() => 'slow'),
    ]);
    await ctx.sleep('rest', rest);
    return won;
  });
  driver.serve(flow);
  expect(await driver.result(flow, undefined)).toBe('fast');
  await test.passes(5_000);
  expect(bodies).toEqual(['fast']);
});
