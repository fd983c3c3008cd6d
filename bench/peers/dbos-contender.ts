import { randomUUID } from 'node:crypto';
import type { Contender, ContenderOptions } from '../speed/contender.ts';
import { monotonicMs } from '../speed/monotonic.ts';
import { instantPayload, PAYLOAD, readInstant } from '../speed/payload.ts';
import { noteStep, STEPS } from '../speed/step-notes.ts';
import { loadPackage } from './load-package.ts';

interface Handle<T> {
  readonly workflowID: string;
  getResult(): Promise<T>;
}
type Workflow<Input, Output> = (input: Input) => Promise<Output>;
interface Dbos {
  setConfig(config: object): void;
  registerWorkflow<I, O>(run: Workflow<I, O>, options: { name: string }): Workflow<I, O>;
  runStep<T>(body: () => Promise<T>, options: { name: string }): Promise<T>;
  sleep(ms: number): Promise<void>;
  launch(): Promise<void>;
  startWorkflow<I, O>(workflow: Workflow<I, O>, options?: { workflowID: string }): (input: I) => Promise<Handle<O>>;
  retrieveWorkflow<T>(id: string): Handle<T>;
  shutdown(): Promise<void>;
}

/** DBOS: a library in this process, on PostgreSQL beside it. */
export async function dbos({ packages, address }: ContenderOptions): Promise<Contender> {
  const { DBOS } = await loadPackage<{ readonly DBOS: Dbos }>(packages, '@dbos-inc/dbos-sdk');
  DBOS.setConfig({ name: 'kagzi-bench', systemDatabaseUrl: address, logLevel: 'error', runAdminServer: false });
  const step = <T>(name: string, body: () => T | Promise<T>): Promise<T> => DBOS.runStep(async () => body(), { name });
  const tenSteps = DBOS.registerWorkflow(
    async (input: string) => {
      let last = input;
      for (let n = 0; n < STEPS; n++) last = await step(`step-${n}`, () => PAYLOAD);
      return last;
    },
    { name: 'tenSteps' },
  );
  const fanOut = DBOS.registerWorkflow(
    async (input: string) => {
      const steps = Array.from({ length: STEPS }, (_, n) => step(`step-${n}`, () => PAYLOAD));
      return (await Promise.all(steps)).at(-1) ?? input;
    },
    { name: 'fanOut' },
  );
  const firstBody = DBOS.registerWorkflow((_input: string) => step('first', () => instantPayload(monotonicMs())), {
    name: 'firstBody',
  });
  const sleeper = DBOS.registerWorkflow(
    async (ms: number) => {
      const before = await step('before', () => instantPayload(monotonicMs()));
      await DBOS.sleep(ms);
      const after = await step('after', () => instantPayload(monotonicMs()));
      return readInstant(after) - readInstant(before) - ms;
    },
    { name: 'sleeper' },
  );
  const interrupted = DBOS.registerWorkflow(
    async (noteFile: string) => {
      for (let n = 0; n < STEPS; n++) await step(`step-${n}`, () => noteStep(noteFile, n));
    },
    { name: 'interrupted' },
  );
  await DBOS.launch();
  const run = async <I, O>(workflow: Workflow<I, O>, input: I): Promise<O> =>
    (await DBOS.startWorkflow(workflow)(input)).getResult();
  return {
    async tenSteps() {
      await run(tenSteps, PAYLOAD);
    },
    async fanOut() {
      await run(fanOut, PAYLOAD);
    },
    firstBodyAt: async () => readInstant(await run(firstBody, PAYLOAD)),
    sleepLateness: (ms) => run(sleeper, ms),
    async startInterrupted(noteFile) {
      const workflowID = randomUUID();
      await DBOS.startWorkflow(interrupted, { workflowID })(noteFile);
      return workflowID;
    },
    async endInterrupted(id) {
      await DBOS.retrieveWorkflow(id).getResult();
    },
    memoryBytes: async () => process.memoryUsage.rss(),
    close: () => DBOS.shutdown(),
  };
}
