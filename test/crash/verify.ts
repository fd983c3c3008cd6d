import { isDeepStrictEqual } from 'node:util';
import { isEnded } from '../../shared/model/run.ts';
import { CONTROL_QUEUE, deadLetterQueue } from '../../shared/ports/queue.ts';
import { DEFAULT_CONFIG } from '../../shared/store/engine.ts';
import { blobPrefix } from '../../shared/store/keys.ts';
import { decodeRun } from '../../shared/store/run-item.ts';
import { getRun } from '../../shared/usecases/get-run.ts';
import { listSteps, type StepDetails } from '../../shared/usecases/list-steps.ts';
import { sweepBlobs } from '../../shared/usecases/purge-run.ts';
import { watchdogTick } from '../../shared/usecases/watchdog-tick.ts';
import { Violation } from './ledger.ts';
import { TASK_QUEUE } from './place.ts';
import type { World } from './world.ts';

/** What must be the same whatever went wrong. */
export interface Outcome {
  readonly run: string;
  readonly status: string;
  readonly output: string | undefined;
  readonly error: string | undefined;
  readonly steps: readonly string[];
}

/** Which execution of a body a result came from is left to chance. */
const withoutExecutions = (text: string | undefined): string | undefined => text?.replaceAll(/#\d+#/g, '#');

export async function outcomes(world: World): Promise<readonly Outcome[]> {
  const all: Outcome[] = [];
  for (const head of await world.options.store.heads()) {
    const { run, output, error } = await getRun(world.observer, decodeRun(head));
    if (!isEnded(run)) throw new Violation(`the run ${run.runId} is ${run.status}`);
    const steps = await stepsOf(world, run);
    requireAcknowledged(world, run, steps);
    if (run.status === 'COMPLETED') requireUsed(output, steps);
    const raced = world.options.scenario.isRaced?.(run) === true;
    const shown = steps
      .filter(({ step }) => world.options.scenario.isIncidental?.(step.stepId) !== true)
      .map(({ step, output: result }) => `${step.stepId} ${step.status} ${withoutExecutions(result)}`);
    all.push({
      run: run.externalId ?? `child of ${run.parent?.stepId}`,
      status: raced ? 'ended' : run.status,
      output: raced ? undefined : withoutExecutions(output),
      error: error?.code,
      // What a cancelled run had got to is left to chance too.
      steps: raced || run.status === 'CANCELLED' ? [] : shown.sort(),
    });
  }
  return all.sort((a, b) => (a.run < b.run ? -1 : 1));
}

async function stepsOf(world: World, run: { namespace: string; runId: string }): Promise<readonly StepDetails[]> {
  const all: StepDetails[] = [];
  let pageToken: string | undefined;
  do {
    const page = await listSteps(world.observer, { ...run, pageSize: 100, pageToken });
    all.push(...page.steps);
    pageToken = page.nextPageToken ?? undefined;
  } while (pageToken !== undefined);
  const ids = new Set(all.map(({ step }) => step.stepId));
  if (ids.size !== all.length) throw new Violation('a step is recorded twice');
  return all;
}

/** Every result that was acknowledged is recorded, as it was acknowledged. */
function requireAcknowledged(
  world: World,
  run: { namespace: string; runId: string; incarnation: string },
  steps: readonly StepDetails[],
): void {
  const recorded = new Map(steps.map((step) => [step.step.stepId, step]));
  for (const [stepId, output] of world.ledger.acknowledgedOf(run)) {
    const found = recorded.get(stepId);
    if (found?.step.status === 'COMPLETED' && found.output === output) continue;
    throw new Violation(`${stepId} was acknowledged with ${output}, but is ${found?.step.status}: ${found?.output}`);
  }
}

/** What the output was made of is what is recorded, execution for execution. */
function requireUsed(output: string | undefined, steps: readonly StepDetails[]): void {
  const results = new Set(steps.flatMap(({ output: result }) => (result === undefined ? [] : tokens(result))));
  for (const used of tokens(output ?? '')) {
    if (!results.has(used)) throw new Violation(`the run used ${used}, which no step has recorded`);
  }
}
const tokens = (text: string): readonly string[] => text.match(/[\w.-]+#\d+#/g) ?? [];

/** Until the watchdog has nothing more to do for an ended run; only blobs wait for the end of the retention. */
export const settled = (world: World): Promise<void> =>
  world.drive(async () => !world.hasZombie && (await world.dueRuns()).length === 0);

/** Every message and timer that is left leads nowhere. */
export async function requireRest(world: World): Promise<void> {
  const before = await world.options.store.heads();
  const { queue } = world.observer;
  for (let minutes = 0; ; minutes++) {
    await world.work();
    const depths = await Promise.all([TASK_QUEUE, CONTROL_QUEUE].map((name) => queue.depth(name)));
    if (depths.every(({ ready, delayed, inFlight }) => ready + delayed + inFlight === 0)) break;
    if (minutes > 120) throw new Violation('a message that nobody takes');
    await world.pass(60_000);
  }
  if (!isDeepStrictEqual(await world.options.store.heads(), before)) throw new Violation('an ended run was changed');
  const dead = await queue.depth(deadLetterQueue(TASK_QUEUE));
  if (dead.ready > 0) throw new Violation('a message went to the dead letters');
}

/** After the retention nothing is left of it; what a crash left unmarked, the sweep finds. */
export async function requireOblivion(world: World): Promise<void> {
  const { store } = world.options;
  const { blobs } = world.observer;
  const marked = (await store.heads()).map(decodeRun).filter((run) => run.blobs);
  for (const days of [31, 8]) {
    await store.advance(days * 86_400_000);
    await watchdogTick(world.observer);
    await store.removeExpired();
  }
  for (const run of marked) {
    const left = await blobs.list({ prefix: blobPrefix(run, run.incarnation), limit: 1 });
    if (left.blobs.length > 0) throw new Violation('a purge left a blob of its run behind');
  }
  await sweepBlobs(world.observer);
  const left = await blobs.list({ prefix: '', limit: 1 });
  if (left.blobs.length > 0) throw new Violation(`left behind: the blob ${left.blobs[0]?.key}`);
  if ((await store.heads()).length > 0) throw new Violation('left behind: a run');
}

/** Two leases, a dispatch that is sent again after a first re-sending was lost, a hidden message, and some ticks. */
export const RECOVERY_MS = 2 * DEFAULT_CONFIG.leaseMs + 60_000 + 10_000 + 10_000;
