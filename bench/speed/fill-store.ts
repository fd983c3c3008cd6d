import type { Item } from '../../shared/ports/table.ts';
import type { Engine } from '../../shared/store/engine.ts';

const RUNS_PER_WRITE = 200;

/** Copies of a finished run, items and index entries alike, written through the table as any other item is. */
export async function fillStore(engine: Engine, namespace: string, runId: string, copies: number): Promise<void> {
  const pk = `${namespace}#run#${runId}`;
  const { items } = await engine.table.query({ pk });
  const incarnation = items.find(({ sk }) => sk === 'head')?.['inc'];
  if (typeof incarnation !== 'string') throw new Error(`the run ${runId} has no head`);
  const texts = items.map((item) => JSON.stringify(item));
  const copy = (): Item[] => {
    const [newRun, newIncarnation] = [engine.ids.uuid(engine.clock.now()), engine.ids.writeId()];
    return texts.map(
      (text) => JSON.parse(text.replaceAll(runId, newRun).replaceAll(incarnation, newIncarnation)) as Item,
    );
  };
  for (let left = copies; left > 0; left -= RUNS_PER_WRITE) {
    await engine.table.batchWrite({ put: Array.from({ length: Math.min(left, RUNS_PER_WRITE) }, copy).flat() });
  }
}
