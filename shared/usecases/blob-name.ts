import { digest } from '../model/ids.ts';
import type { Engine } from '../store/engine.ts';

/** A blob is written once with one content, so every attempt writes its own; the alphabet is that of blob keys. */
export const blobName = (engine: Engine, stepId: string, part: 'in' | 'out'): string =>
  `${digest(stepId)}.${engine.ids.writeId()}.${part}`;
