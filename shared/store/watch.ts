import { AttributeReader } from './attributes.ts';
import type { Engine } from './engine.ts';
import { ENGINE_PK, FORMAT } from './keys.ts';
import { sureWrite } from './sure-write.ts';

/** Which watchdog ticks. Whoever writes it last holds it: two at once cost a little more, and nothing else. */
export interface Watch {
  readonly holder: string;
  readonly since: number;
  /** When blobs were last looked through for those that nothing refers to. */
  readonly blobsAt: number;
}

const KEY = { pk: ENGINE_PK, sk: 'watch' };

export async function readWatch(engine: Engine): Promise<Watch | null> {
  const { item } = await engine.table.get(KEY);
  if (item === null) return null;
  const read = new AttributeReader('watch', item);
  return { holder: read.text('h'), since: read.number('c0'), blobsAt: read.number('bl') };
}

export async function putWatch(engine: Engine, { holder, since, blobsAt }: Watch): Promise<void> {
  await sureWrite(engine, () => engine.table.put({ ...KEY, v: FORMAT, h: holder, c0: since, bl: blobsAt }));
}
