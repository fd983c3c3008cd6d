import { createHash } from 'node:crypto';
import { KagziError } from '../../shared/model/errors.ts';
import { type Failure, failure } from '../../shared/model/failure.ts';
import type { RunningRun } from '../../shared/model/run.ts';
import type { Step } from '../../shared/model/step.ts';
import type { StoredPayload } from '../../shared/model/stored-payload.ts';
import { loadPayload } from '../../shared/store/payloads.ts';
import { readRun } from '../../shared/store/run-head.ts';
import { getRun, runNotFound } from '../../shared/usecases/get-run.ts';
import { type RunKey, Violation } from './ledger.ts';
import type { World } from './world.ts';

/** The run waits; its script starts over when it is claimed again. */
export class Suspended extends Error {}

/** A step has failed for good. */
export class StepFailed extends Error {
  constructor(
    readonly stepId: string,
    readonly failure: Failure,
  ) {
    super(failure.message);
  }
}

export interface Body {
  /** The result is this many characters long. */
  readonly size?: number;
  /** The body takes so long, with a sign of life in between. */
  readonly takesMs?: number;
  /** What happens in the outside world meanwhile. */
  readonly during?: () => Promise<void>;
}

const BEAT_MS = 8_000;

let noise = '';

/** Text that does not compress away. */
export function bulk(length: number): string {
  while (noise.length < length) noise += createHash('sha256').update(noise).digest('base64');
  return noise.slice(0, length);
}

/** Each execution has another result: whose was kept can be told. */
export async function runBody(
  world: World,
  run: RunningRun,
  stepId: string,
  body: Body,
  beat: () => Promise<void>,
): Promise<string> {
  const execution = world.ledger.bodyStarts(run, stepId);
  await world.besideSuccessor('body', run);
  for (let left = body.takesMs ?? 0; left > 0; left -= BEAT_MS) {
    await world.pass(Math.min(left, BEAT_MS));
    await beat();
  }
  await body.during?.();
  return JSON.stringify(`${stepId}#${execution}#${bulk(body.size ?? 0)}`);
}

export const boom = (message = 'boom', nonRetryable = false): Failure =>
  failure({ code: 'BOOM', message, nonRetryable });

export const isLost = (error: unknown): boolean =>
  error instanceof KagziError && (error.code === 'LEASE_LOST' || error.code === 'RUN_NOT_FOUND');

/** A run may have ended and been deleted before a late answer came: then it is nobody's any more. */
export async function requireThere(world: World, run: RunKey): Promise<void> {
  const found = await readRun(world.observer, run);
  if (found?.incarnation !== run.incarnation) throw runNotFound(run.runId);
}

export async function requireCompleted(world: World, ended: RunKey, output: string | undefined): Promise<void> {
  await requireThere(world, ended);
  const { run, output: stored } = await getRun(world.observer, ended);
  if (run.status !== 'COMPLETED' || stored !== output) throw new Violation(`completed, but the run is ${run.status}`);
}

/** What the worker was told is what is there. */
export async function recordedText(world: World, run: RunningRun, step: Step): Promise<string | undefined> {
  if (step.status !== 'COMPLETED') throw new Violation(`the step ${step.stepId} is ${step.status}, not COMPLETED`);
  return payloadText(world, run, step.output);
}

export const payloadText = (world: World, run: RunningRun, payload: StoredPayload | null) =>
  loadPayload(world.observer, run, run.incarnation, payload);
