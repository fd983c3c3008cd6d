import type { EndedRun } from '../model/run.ts';
import type { Engine } from '../store/engine.ts';
import { blobPrefix, HEAD, headKey, runPk } from '../store/keys.ts';
import { sureWrite } from '../store/sure-write.ts';

/**
 * Blobs, then items, the head last: whatever it dies in the middle of, the head brings it back. Only this
 * incarnation's things go, because another may live under the same id by then.
 */
export async function purgeRun(engine: Engine, run: EndedRun): Promise<void> {
  if (run.blobs) await deleteBlobs(engine, blobPrefix(run, run.incarnation));
  for (const kind of ['step', 'pack', 'data', 'inbox']) {
    let after: string | undefined;
    do {
      const page = await engine.table.query({
        pk: runPk(run),
        prefix: `${kind}#${run.incarnation}#`,
        attributes: ['sk'],
        consistent: true,
        ...(after === undefined ? {} : { after }),
      });
      await sureWrite(engine, () => engine.table.batchWrite({ delete: page.items.map(({ pk, sk }) => ({ pk, sk })) }));
      after = page.next ?? undefined;
    } while (after !== undefined);
  }
  await sureWrite(engine, () => engine.table.delete(headKey(run), { op: '=', attr: 'inc', value: run.incarnation }));
  engine.telemetry.count('runs_purged');
}

export async function deleteBlobs(engine: Engine, prefix: string): Promise<void> {
  for (;;) {
    const { blobs, next } = await engine.blobs.list({ prefix, limit: 100 });
    await engine.blobs.delete(blobs.map((blob) => blob.key));
    if (next === null) return;
  }
}

const ORPHAN_AGE_MS = 86_400_000;

/** Blobs older than a day whose run, or whose incarnation of it, does not exist: what a crash between two writes left. */
export async function sweepBlobs(engine: Engine, after?: string): Promise<string | null> {
  const { blobs, next } = await engine.blobs.list({
    prefix: '',
    limit: 100,
    ...(after === undefined ? {} : { after }),
  });
  const old = blobs.filter((blob) => blob.modifiedAt < engine.clock.now() - ORPHAN_AGE_MS);
  const orphans: string[] = [];
  for (const { key } of old) {
    const [namespace = '', runId = '', incarnation] = key.split('/');
    const { item } = await engine.table.get({ pk: runPk({ namespace, runId }), sk: HEAD }, { consistent: true });
    if (item?.inc !== incarnation) orphans.push(key);
  }
  if (orphans.length > 0) await engine.blobs.delete(orphans);
  engine.telemetry.count('blobs_swept', orphans.length);
  return next;
}
