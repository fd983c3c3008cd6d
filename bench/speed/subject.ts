import { dbos } from '../peers/dbos-contender.ts';
import { openworkflow } from '../peers/openworkflow-contender.ts';
import { restate } from '../peers/restate-contender.ts';
import type { Contender, ContenderOptions } from './contender.ts';
import { kagzi } from './kagzi-contender.ts';
import { kagziHttp } from './kagzi-http-contender.ts';
import type { SubjectCall } from './subject-process.ts';
import { WORKLOADS } from './workloads.ts';

const CONTENDERS: Readonly<Record<string, (options: ContenderOptions) => Promise<Contender>>> = {
  kagzi,
  'kagzi-http': kagziHttp,
  restate,
  dbos,
  openworkflow,
};

/** The process of one contender: does what its parent asks for, one thing at a time, and ends with it. */
const [name = '', options = '{}'] = process.argv.slice(2);
const open = CONTENDERS[name];
if (open === undefined) throw new Error(`there is no contender "${name}"`);
process.on('disconnect', () => process.exit(0));
const contender = await open(JSON.parse(options) as ContenderOptions);

async function answer(call: SubjectCall): Promise<unknown> {
  switch (call.do) {
    case 'workload':
      return WORKLOADS[call.name](contender, call.request as never);
    case 'start-interrupted':
      return contender.startInterrupted(call.noteFile);
    case 'end-interrupted':
      return contender.endInterrupted(call.run);
    case 'close':
      return contender.close();
  }
}

process.on('message', (call: SubjectCall) => {
  answer(call).then(
    (result) => process.send?.({ result: result ?? null }),
    (error: unknown) =>
      process.send?.({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
  );
});
process.send?.({ result: null });
