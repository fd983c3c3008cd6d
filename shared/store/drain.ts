import type { Engine } from './engine.ts';
import { ENGINE_PK, FORMAT } from './keys.ts';
import { sureWrite } from './sure-write.ts';

const KEY = { pk: ENGINE_PK, sk: 'drain' };

/** While the engine drains, polls give out no runs and heartbeats ask workers to finish. */
export async function isDraining(engine: Engine): Promise<boolean> {
  const { item } = await engine.table.get(KEY);
  return item !== null;
}

export async function setDraining(engine: Engine, draining: boolean): Promise<void> {
  const item = { ...KEY, v: FORMAT, c0: engine.clock.now() };
  await sureWrite(engine, () => (draining ? engine.table.put(item) : engine.table.delete(KEY)));
}
