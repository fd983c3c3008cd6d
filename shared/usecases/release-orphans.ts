import { KagziError } from '../model/errors.ts';
import type { RunningRun } from '../model/run.ts';
import type { Engine } from '../store/engine.ts';
import { listNamespaces } from './list-namespaces.ts';
import { listRuns } from './list-runs.ts';
import { releaseRun } from './release-run.ts';

const PAGE = 100;

/** Gives back runs whose owner is known to be dead, instead of waiting for their leases to lapse. */
export async function releaseOrphans(engine: Engine, isDead: (owner: string) => boolean): Promise<number> {
  let released = 0;
  for await (const namespace of namespacesOf(engine)) {
    for await (const run of runningIn(engine, namespace)) {
      if (run.lease.session !== null || !isDead(run.lease.owner)) continue;
      try {
        await releaseRun(engine, run);
        released += 1;
      } catch (error) {
        // It ended, or somebody else has it by now.
        if (!(error instanceof KagziError)) throw error;
      }
    }
  }
  return released;
}

async function* namespacesOf(engine: Engine): AsyncGenerator<string> {
  let pageToken: string | undefined;
  do {
    const page = await listNamespaces(engine, { pageSize: PAGE, pageToken });
    for (const { name } of page.namespaces) yield name;
    pageToken = page.nextPageToken ?? undefined;
  } while (pageToken !== undefined);
}

async function* runningIn(engine: Engine, namespace: string): AsyncGenerator<RunningRun> {
  let pageToken: string | undefined;
  do {
    const page = await listRuns(engine, { namespace, status: 'RUNNING', pageSize: PAGE, pageToken });
    for (const run of page.runs) if (run.status === 'RUNNING') yield run;
    pageToken = page.nextPageToken ?? undefined;
  } while (pageToken !== undefined);
}
