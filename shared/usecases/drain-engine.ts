import { setDraining } from '../store/drain.ts';
import type { Engine } from '../store/engine.ts';

/** Lasts until it is ended by the same call, over restarts too. Runs go on being accepted, timed and recovered. */
export async function drainEngine(engine: Engine, draining: boolean): Promise<void> {
  await setDraining(engine, draining);
  engine.telemetry.log('warn', draining ? 'the engine drains: polls give out no runs' : 'the engine drains no longer');
}
