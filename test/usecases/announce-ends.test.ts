import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { BusEvent, EventBus } from '../../shared/ports/event-bus.ts';
import type { Item } from '../../shared/ports/table.ts';
import { headKey } from '../../shared/store/keys.ts';
import { announceEnds } from '../../shared/usecases/announce-ends.ts';
import { completeRun } from '../../shared/usecases/complete-run.ts';
import { failRun } from '../../shared/usecases/fail-run.ts';
import { type TestEngine, testEngine } from '../helpers/test-engine.ts';
import { broken, start, startAndTake } from '../helpers/worker-driver.ts';

const SECRET = 'tell-nobody';

let test: TestEngine;
let heard: BusEvent[];
let refuses: (event: BusEvent) => boolean;
beforeEach(async () => {
  test = await testEngine();
  heard = [];
  refuses = () => false;
});
afterEach(() => test.close());

const bus: EventBus = {
  publish: async (events) =>
    events.map((event) => {
      if (refuses(event)) return false;
      heard.push(event);
      return true;
    }),
};
const headItem = async (run: { readonly namespace: string; readonly runId: string }): Promise<Item> => {
  const { item } = await test.engine.table.get(headKey(run), { consistent: true });
  if (item === null) throw new Error('there is no head');
  return item;
};
const completed = async (externalId: string): Promise<Item> => {
  const { run, lease } = await startAndTake(test, { externalId, input: JSON.stringify(SECRET) });
  await completeRun(test.engine, lease, JSON.stringify(SECRET));
  return headItem(run);
};
const announce = (...items: readonly Item[]) =>
  announceEnds(
    bus,
    test.telemetry,
    items.map((after, n) => ({ id: String(n), after })),
  );

describe('the end of a run', () => {
  it('is told with what is known of the run, and without its payloads', async () => {
    const after = await completed('one');
    expect(await announce(after)).toEqual([]);
    const now = test.clock.now();
    expect(heard).toMatchObject([
      {
        type: 'Run Ended',
        at: now,
        detail: {
          namespace: 'shop',
          external_id: 'one',
          workflow_type: 'order',
          status: 'COMPLETED',
          error_code: null,
          finished_at: new Date(now).toISOString(),
        },
      },
    ]);
    expect(JSON.stringify(heard)).not.toContain(SECRET);
  });

  it('in failure is told with the code of the error, and without its message', async () => {
    const { run, lease } = await startAndTake(test);
    await failRun(test.engine, lease, { error: broken({ code: 'DECLINED', message: SECRET, nonRetryable: true }) });
    await announce(await headItem(run));
    expect(heard).toMatchObject([{ detail: { status: 'FAILED', error_code: 'DECLINED' } }]);
    expect(JSON.stringify(heard)).not.toContain(SECRET);
  });

  it('that the bus refuses is left over, and the others are told', async () => {
    const items = [await completed('a'), await completed('b'), await completed('c')];
    refuses = ({ detail }) => detail['external_id'] === 'b';
    expect(await announce(...items)).toEqual(['1']);
    expect(heard.map(({ detail }) => detail['external_id'])).toEqual(['a', 'c']);
  });

  it('that cannot be read is logged and holds up nobody; a run that goes on is told to nobody', async () => {
    const after = await completed('fine');
    expect(await announce({ ...after, v: 999 }, await headItem(await start(test)), after)).toEqual([]);
    expect(heard.map(({ detail }) => detail['external_id'])).toEqual(['fine']);
    expect(test.telemetry.lines).toContainEqual(
      expect.objectContaining({ level: 'error', message: expect.stringContaining('cannot be read') }),
    );
  });
});
