import type { Changes, Item, Key } from '../../../shared/ports/table.ts';
import { HEAD } from '../../../shared/store/keys.ts';

/** Paths of the engine that are there for when something goes wrong. Each must be walked, or nothing is proved. */
export const RESCUES = [
  'lease-recovered',
  'dispatch-resent',
  'worker-retired',
  'dead-letter-recorded',
  'own-write-recognised',
  'result-adopted',
  'claim-refused',
  'claim-too-early',
  'suspension-refused',
  'writer-fenced',
  'start-repeated',
  'step-retried',
  'history-packed',
  'child-told-parent',
  'orphan-cancelled',
  'run-stalled',
  'version-put-back',
  'run-handed-over',
] as const;
export type Rescue = (typeof RESCUES)[number];

interface Lost {
  readonly ok: false;
  readonly current: Item | null;
}
const isLost = (value: unknown): value is Lost => (value as { readonly ok?: boolean } | undefined)?.ok === false;

/** What a call that was applied says about how the engine got out of trouble. */
export function rescueOf(call: string, args: readonly unknown[], value: unknown): Rescue | null {
  if (call === 'table.put') return rescueOfPut(args[0] as Item, value);
  if (call === 'table.update') return rescueOfUpdate(args[0] as Key, args[1] as Changes, value);
  return null;
}

function rescueOfPut(item: Item, value: unknown): Rescue | null {
  if (item.sk.startsWith('pack#')) return 'history-packed';
  if (item.sk.startsWith('inbox#')) return 'child-told-parent';
  if (!isLost(value) || value.current === null) return null;
  if (value.current['w'] === item['w']) return 'own-write-recognised';
  if (item.sk === HEAD) return 'start-repeated';
  return item.sk.startsWith('step#') && value.current['w'] !== item['w'] ? 'result-adopted' : null;
}

function rescueOfUpdate(key: Key, changes: Changes, value: unknown): Rescue | null {
  if (key.sk !== HEAD || !isLost(value) || value.current === null) return null;
  const { current } = value;
  const status = changes.set?.['st'];
  const claims = status === 'RUNNING' && changes.add?.['ep'] === 1;
  if (current['w'] === changes.set?.['w'] || (claims && current['lt'] === changes.set?.['lt']))
    return 'own-write-recognised';
  if (claims) return current['st'] === 'PENDING' || current['st'] === 'SLEEPING' ? 'claim-too-early' : 'claim-refused';
  if ((status === 'SLEEPING' || status === 'PENDING') && current['st'] === 'RUNNING') return 'suspension-refused';
  return 'writer-fenced';
}
