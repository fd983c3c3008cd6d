import { type Duration, durationMs } from '../../shared/model/duration.ts';
import {
  type Checks,
  checkOptions,
  InvalidArgumentError,
  isDuration,
  isExternalId,
  isFlag,
  isFunction,
  isName,
  isOneOf,
  isWholeNumber,
  refuse,
  shown,
} from '../check-options.ts';
import type { ChildOptions, MapOptions, ParallelOptions, StepOptions } from '../context.ts';
import { requireWorkflow } from '../define-workflow.ts';
import { isRetryIf } from '../error-kind.ts';
import { isRetry } from '../retry.ts';
import { requireId } from './scope.ts';

const STEP: Checks<StepOptions> = { retry: isRetry, retryIf: isRetryIf, timeout: isDuration, atMostOnce: isFlag };
const CHILD: Checks<ChildOptions> = {
  externalId: isExternalId,
  taskQueue: isName('taskQueue'),
  version: isName('version'),
  retry: isRetry,
};
const PARALLEL: Checks<ParallelOptions> = { mode: isOneOf(['fail-fast', 'collect-all']) };
const MAP: Checks<MapOptions> = {
  ...PARALLEL,
  concurrency: isWholeNumber(1, Number.POSITIVE_INFINITY),
  id: (id) => requireId(id),
};

/** `what` is the call as the author wrote it, for the message. */
export function checkStep(what: string, id: unknown, body: unknown, options: unknown): void {
  refuse(what, () => requireId(id));
  if (typeof body !== 'function') {
    throw new InvalidArgumentError(`${what} needs a body: ${shown(body)} is no function`);
  }
  checkOptions(what, options, STEP);
}

export function checkSleep(what: string, id: unknown, duration: unknown): void {
  refuse(what, () => requireId(id));
  if (duration === undefined) {
    throw new InvalidArgumentError(`${what} needs an id and a duration, such as ctx.sleep("nap", "30s")`);
  }
  refuse(what, () => durationMs(duration as Duration));
}

export function checkSleepUntil(what: string, id: unknown, time: unknown): void {
  refuse(what, () => requireId(id));
  const isTime = time instanceof Date || typeof time === 'number' || typeof time === 'string';
  if (!isTime || Number.isNaN(new Date(time).getTime())) {
    throw new InvalidArgumentError(`${what}: ${shown(time)} is no time: give a Date, milliseconds or an ISO 8601 text`);
  }
}

export function checkChild(what: string, id: unknown, workflow: unknown, _input: unknown, options: unknown): void {
  refuse(what, () => requireId(id));
  requireWorkflow(what, workflow);
  checkOptions(what, options, CHILD);
}

export function checkBranches(what: string, branches: unknown, options?: unknown): void {
  if (typeof branches !== 'object' || branches === null || branches instanceof Promise) {
    throw new InvalidArgumentError(`${what}: ${shown(branches)} is no array or object of branches`);
  }
  for (const [name, branch] of Object.entries(branches)) {
    if (typeof branch === 'function') continue;
    const hint = 'a branch is a function, such as (ctx) => ctx.step(…)';
    throw new InvalidArgumentError(`${what}: branch ${shown(name)} is ${shown(branch)}; ${hint}`);
  }
  checkOptions(what, options, PARALLEL);
}

/** A race that nobody runs would never be won. */
export function checkRace(what: string, branches: unknown, options?: unknown): void {
  checkBranches(what, branches);
  if (Object.keys(branches as object).length === 0) throw new InvalidArgumentError(`${what} needs at least one branch`);
  if (options !== undefined) throw new InvalidArgumentError(`${what} takes no options`);
}

export function checkMap(what: string, items: unknown, body: unknown, options: unknown): void {
  if (typeof (items as Partial<Iterable<unknown>> | null | undefined)?.[Symbol.iterator] !== 'function') {
    throw new InvalidArgumentError(`${what}: ${shown(items)} cannot be iterated over`);
  }
  refuse(`${what}: the body`, () => isFunction(body));
  checkOptions(what, options, MAP);
}
