import { createWorker } from '../../../sdk/index.ts';
import { Ledger } from '../../chaos/ledger.ts';
import { programWorkflow } from '../../chaos/program-workflow.ts';

/** Put in when it is bundled: the function's environment is the stack's own. */
declare const LEDGERS: string;

/** A direct worker starts bodies on a proof that was sent less than this ago. */
const PROOF_MS = 1_000;

const ledger = new Ledger(LEDGERS, `function-${process.pid}`);

/** The worker of random programs, in place of that of the examples. */
export const handler = createWorker({
  workflows: [programWorkflow(ledger, (_key, now) => now - PROOF_MS)],
  log: () => undefined,
}).lambda();
