import { createWorker } from '../../sdk/index.ts';
import { Ledger } from './ledger.ts';
import { observedFetch } from './observed-fetch.ts';
import { programWorkflow } from './program-workflow.ts';

/** A polling worker of its own process, to be killed or frozen. Tells its parent when it has got its first run. */
export interface WorkerArguments {
  readonly url: string;
  readonly ledgers: string;
  readonly name: string;
  readonly taskQueue: string;
  readonly maxConcurrent: number;
}

const { url, ledgers, name, taskQueue, maxConcurrent } = JSON.parse(process.argv[2] ?? '{}') as WorkerArguments;
process.once('disconnect', () => process.exit(1));

let first = true;
const ledger = new Ledger(ledgers, name);
const observed = observedFetch(ledger, () => {
  if (first) process.send?.({ took: true });
  first = false;
});
createWorker({
  workflows: [programWorkflow(ledger, observed.provenFrom)],
  taskQueue,
  maxConcurrent,
  log: (level, message, fields) => {
    if (level === 'error') console.error(`${name}: ${message} ${JSON.stringify(fields)}`);
  },
})
  .poll({ url, fetch: observed.fetch, name, signals: false })
  .done.catch((error: unknown) => {
    console.error(error);
    process.exit(1);
  });
