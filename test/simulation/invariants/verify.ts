import { replay } from '../../../sdk/testing/index.ts';
import { decodeValue } from '../../../sdk/values.ts';
import { isEnded, type Run } from '../../../shared/model/run.ts';
import { decodeRunMessage } from '../../../shared/store/dispatch.ts';
import { createEngine, type Engine } from '../../../shared/store/engine.ts';
import { HEAD } from '../../../shared/store/keys.ts';
import { decodeRun } from '../../../shared/store/run-item.ts';
import { getRun, type RunDetails } from '../../../shared/usecases/get-run.ts';
import { listSteps, type StepDetails } from '../../../shared/usecases/list-steps.ts';
import { exportedRun } from '../../helpers/exported-run.ts';
import type { Asked } from '../workload/clients.ts';
import { type Program, programWorkflow, token } from '../workload/interpret.ts';
import { expected } from '../workload/reference.ts';
import { TASK_QUEUE } from '../world/fleet.ts';
import type { World } from '../world/world.ts';
import { stepName } from './rules.ts';

/** Every acknowledged run has ended, with what its program allows (I1, I13), and its record says the same (I15). */
export async function verifyEnds(world: World, asked: readonly Asked[]): Promise<void> {
  const byId = asksByRun(asked);
  const heads = new Map(world.table.everywhere(HEAD).map((head) => [decodeRun(head).runId, decodeRun(head)]));
  for (const head of world.table.everywhere(HEAD)) {
    const found = decodeRun(head);
    // As it was when it ended: its retention may be over by now.
    const at = 'finishedAt' in found ? found.finishedAt : world.kernel.now;
    const engine = createEngine({ ...world.parts, clock: { ...world.parts.clock, now: () => at } });
    const details = await getRun(engine, found);
    const one = byId.get(details.run.runId);
    const steps = await stepsOf(engine, details.run);
    const problem = outcomeProblem(world, details, one);
    if (problem !== null) world.rules.violate(problem.invariant, `${details.run.runId} ${problem.what}`);
    verifyChild(world, details.run, heads);
    if (details.run.status === 'COMPLETED') verifyRecorded(world, details, steps);
    if (details.run.status === 'COMPLETED') await verifyReplay(world, details, steps);
  }
  for (const [runId] of byId) {
    if (!world.table.everywhere(HEAD).some(({ pk }) => pk.endsWith(`#${runId}`))) {
      world.rules.violate('I1', `the run ${runId} was acknowledged, but there is none`);
    }
  }
}

async function stepsOf(engine: Engine, run: Run): Promise<readonly StepDetails[]> {
  const all: StepDetails[] = [];
  let pageToken: string | undefined;
  do {
    const page = await listSteps(engine, { ...run, pageSize: 100, pageToken });
    all.push(...page.steps);
    pageToken = page.nextPageToken ?? undefined;
  } while (pageToken !== undefined);
  return all;
}

/** The end of a parent that did not complete takes this long at the most to come to its children, faults and all. */
const CANCELS_WITHIN_MS = 3_600_000;

/** Children end with a parent that fails or is cancelled (I10). */
function verifyChild(world: World, run: Run, heads: ReadonlyMap<string, Run>): void {
  const parent = run.parent === null ? undefined : heads.get(run.parent.runId);
  if (parent === undefined || !isEnded(parent) || parent.status === 'COMPLETED' || !isEnded(run)) return;
  if (run.status === 'CANCELLED' || run.finishedAt <= parent.finishedAt + CANCELS_WITHIN_MS) return;
  world.rules.violate('I10', `${run.runId} went on after its parent was ${parent.status}`);
}

/** Several clients may have asked for one run: it was cancelled if any of them did. */
function asksByRun(asked: readonly Asked[]): ReadonlyMap<string, Asked> {
  const byId = new Map<string, Asked>();
  for (const one of asked) {
    if (one.runId === null) continue;
    const other = byId.get(one.runId);
    const cancelSent = one.cancelSent || other?.cancelSent === true;
    byId.set(one.runId, { ...one, cancelSent, cancelled: one.cancelled || other?.cancelled === true });
  }
  return byId;
}

interface Problem {
  readonly invariant: string;
  readonly what: string;
}

function outcomeProblem(world: World, details: RunDetails, one: Asked | undefined): Problem | null {
  const { run } = details;
  if (!isEnded(run)) return { invariant: 'I1', what: `is still ${run.status}` };
  if (one?.cancelled === true && run.status !== 'CANCELLED') {
    return { invariant: 'I10', what: `was cancelled, but is ${run.status}` };
  }
  if (run.status === 'CANCELLED') {
    if (run.reason === 'the parent run ended') world.rules.rescued('orphan-cancelled');
    const wanted = one?.cancelSent === true || run.parent !== null;
    return wanted ? null : { invariant: 'I13', what: 'is CANCELLED, though nobody cancelled it' };
  }
  if (run.status === 'FAILED' && run.error.code === 'STALLED') {
    world.rules.rescued('run-stalled');
    return null;
  }
  // A child that stalled may take others along.
  return hasStalled(world) ? null : endProblem(details);
}

function endProblem({ run, input, output }: RunDetails): Problem | null {
  const allowed = expected((decodeValue(input) as Program).node);
  if (run.status === 'FAILED') {
    const { code, message } = run.error;
    if (allowed.errors.has(code)) return null;
    return { invariant: 'I13', what: `failed with ${code} (${message}), not with ${[...allowed.errors].join(' or ')}` };
  }
  const miss = allowed.ok === null ? 'it could only fail' : allowed.ok(decodeValue(output));
  return miss === null ? null : { invariant: 'I13', what: `completed with what its program does not allow: ${miss}` };
}

const hasStalled = (world: World): boolean =>
  world.table.everywhere(HEAD).some((head) => JSON.stringify(head['err'] ?? '').includes('STALLED'));

/** What the output was made of is what is recorded, execution for execution. */
function verifyRecorded(world: World, { run, output }: RunDetails, steps: readonly StepDetails[]): void {
  const recorded = new Set<string>();
  for (const { step, output: result } of steps) {
    if (step.kind !== 'FUNCTION' || step.status !== 'COMPLETED') continue;
    const { n } = decodeValue(result) as { readonly n: number };
    recorded.add(token(stepName(step.stepId), n));
  }
  const own = JSON.stringify(decodeValue(output) ?? null).match(/"n\d+(#\d+)?@\d+"/g) ?? [];
  const children = steps.flatMap(({ step, output: result }) =>
    step.kind === 'CHILD_WORKFLOW' && result !== undefined ? [JSON.stringify(decodeValue(result) ?? null)] : [],
  );
  for (const quoted of own) {
    const used = quoted.slice(1, -1);
    if (recorded.has(used) || children.some((child) => child.includes(quoted))) continue;
    world.rules.violate('I2', `${run.runId} used ${used}, which no step has recorded`);
  }
}

async function verifyReplay(world: World, details: RunDetails, steps: readonly StepDetails[]): Promise<void> {
  const { run } = details;
  const stage = {
    body: () => Promise.reject(new Error('a replay executes nothing')),
    saw: () => undefined,
    woke: () => undefined,
  };
  try {
    await replay(exportedRun(details, steps), programWorkflow(run.version, stage));
  } catch (error) {
    world.rules.violate('I15', `${run.runId} does not replay: ${(error as Error).message}`);
  }
}

/** Nothing is left that belongs to an ended run (I18). */
export function verifyRest(world: World): void {
  const heads = new Map(
    world.table.everywhere(HEAD).map((head) => [head.pk.slice(head.pk.lastIndexOf('#') + 1), head]),
  );
  for (const message of world.queue.all()) {
    const run = message.queue === TASK_QUEUE ? decodeRunMessage(message.body)?.runId : undefined;
    if (run !== undefined && heads.has(run)) world.rules.violate('I18', `a message of the ended run ${run} is left`);
  }
  // A crash may leave one, which fires into the void.
  const left = world.faults.total === 0 ? world.timers.ids() : [];
  for (const id of left) world.rules.violate('I18', `a timer is left: ${id}`);
  const expiry = world.kernel.now + world.parts.config.retentionMs / 2;
  for (const [run, head] of heads) {
    const due = head['ds'];
    if (typeof due === 'string' && Number(due) < expiry)
      world.rules.violate('I18', `the ended run ${run} is due at ${due}`);
    if (head['lt'] !== undefined) world.rules.violate('I18', `the ended run ${run} is leased`);
  }
}
