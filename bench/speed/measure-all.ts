import { type Machine, machine } from './machine.ts';
import { measureFullness } from './measure-fullness.ts';
import { type Limit, measureClient, measureEngine, measureLimit, type SpeedFigures } from './measure-speed.ts';
import { FULL, TINY } from './sizes.ts';
import type { SpeedOptions } from './speed-options.ts';
import { type Stamp, stamp } from './stamp.ts';

export interface SpeedReport extends SpeedFigures {
  readonly measured: Stamp;
  readonly machine: Machine;
  /** A bare loop of the same writes on the same machine: what cannot be exceeded. */
  readonly limit: Limit;
  /** The same with the client in another process. */
  readonly http?: SpeedFigures;
}

export async function measureAll(options: SpeedOptions): Promise<SpeedReport> {
  const limit = await measureLimit(options);
  const client = await measureClient('kagzi', options);
  const engine = await measureEngine(options);
  const fullness = options.only.has('w9') ? await measureFullness(options) : {};
  const { w9 = { clients: [] }, ...rest } = { ...client, ...engine };
  return {
    measured: stamp(options.sizes === FULL ? 'full' : options.sizes === TINY ? 'tiny' : 'quick'),
    machine: machine(),
    limit,
    ...rest,
    ...(options.only.has('w9') ? { w9: { ...w9, ...fullness } } : {}),
    ...(options.http ? { http: await measureClient('kagzi-http', options) } : {}),
  };
}
