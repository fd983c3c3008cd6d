import type { Run } from '../model/run.ts';
import type { Engine } from './engine.ts';
import { runPk } from './keys.ts';
import { writeHead } from './run-head.ts';
import { HISTORY_SLACK_MS } from './runs.ts';
import { sureWrite } from './sure-write.ts';

/** Input and other large payloads in items of their own outlive the run until the given time. */
export const extendData = (engine: Engine, run: Run, until: number): Promise<void> =>
  extend(engine, run, `data#${run.incarnation}#`, until);

/** Lifts the expiry of every item of a run without touching what it says; safe beside a living owner. */
export async function extendHistory(engine: Engine, run: Run, until: number): Promise<void> {
  for (const kind of ['step', 'pack', 'data', 'inbox']) await extend(engine, run, `${kind}#${run.incarnation}#`, until);
  await writeHead(engine, run, {
    transition: 'touch',
    fence: run,
    status: run.status,
    set: { hs: until, hl: until },
    due: 'keep',
    unstamped: true,
  });
}

async function extend(engine: Engine, run: Run, prefix: string, until: number): Promise<void> {
  const ttl = Math.ceil((until + engine.config.retentionMs + HISTORY_SLACK_MS) / 1000);
  let after: string | undefined;
  do {
    const page = await engine.table.query({
      pk: runPk(run),
      prefix,
      attributes: ['ttl'],
      consistent: true,
      ...(after === undefined ? {} : { after }),
    });
    for (const { pk, sk, ttl: old } of page.items) {
      if (old === undefined || (old as number) >= ttl) continue;
      await sureWrite(engine, () =>
        engine.table.update({ pk, sk }, { set: { ttl } }, { op: '<', attr: 'ttl', value: ttl }),
      );
    }
    after = page.next ?? undefined;
  } while (after !== undefined);
}
