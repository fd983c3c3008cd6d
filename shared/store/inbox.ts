import type { Run, RunId } from '../model/run.ts';
import { AttributeReader } from './attributes.ts';
import type { Engine } from './engine.ts';
import { FORMAT, inboxPrefix, runPk } from './keys.ts';
import { stepTtl } from './steps.ts';
import { sureWrite } from './sure-write.ts';

/** What comes to a run from outside: written once into its partition, then its head is told. */
export type Arrival =
  | { readonly what: 'child-ended'; readonly stepId: string; readonly childRunId: string; readonly status: string }
  | { readonly what: 'cancel'; readonly reason: string | null; readonly until: number };

const CANCEL = 'cancel';

/** `name` tells one arrival from another; the same one again changes nothing. */
export async function putArrival(
  engine: Engine,
  to: RunId & { readonly incarnation: string },
  name: string,
  arrival: Arrival,
): Promise<void> {
  const item = {
    pk: runPk(to),
    sk: inboxPrefix(to.incarnation) + name,
    v: FORMAT,
    ...(arrival.what === 'cancel'
      ? { until: arrival.until, ...(arrival.reason === null ? {} : { why: arrival.reason }) }
      : { id: arrival.stepId, child: arrival.childRunId, st: arrival.status }),
    ttl: stepTtl(engine, engine.clock.now()),
  };
  await sureWrite(engine, () => engine.table.put(item, { op: 'missing', attr: 'pk' }));
}

export const childArrival = (childRunId: string, incarnation: string): string => `child#${childRunId}#${incarnation}`;
export const CANCEL_ARRIVAL = CANCEL;

export async function readArrivals(engine: Engine, run: Run): Promise<readonly Arrival[]> {
  const arrivals: Arrival[] = [];
  let after: string | undefined;
  do {
    const page = await engine.table.query({
      pk: runPk(run),
      prefix: inboxPrefix(run.incarnation),
      consistent: true,
      ...(after === undefined ? {} : { after }),
    });
    for (const item of page.items) {
      const read = new AttributeReader(`arrival ${item.sk}`, item);
      arrivals.push(
        item.sk.endsWith(`#${CANCEL}`)
          ? { what: 'cancel', reason: read.textOrNull('why'), until: read.number('until') }
          : { what: 'child-ended', stepId: read.text('id'), childRunId: read.text('child'), status: read.text('st') },
      );
    }
    after = page.next ?? undefined;
  } while (after !== undefined);
  return arrivals;
}
