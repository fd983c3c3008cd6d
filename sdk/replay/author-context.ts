import type { RunInfo, WorkflowContext, WorkflowLog } from '../context.ts';
import {
  checkBranches,
  checkChild,
  checkMap,
  checkRace,
  checkSleep,
  checkSleepUntil,
  checkStep,
} from './check-calls.ts';
import type { CodeWatch } from './code-watch.ts';

type Given = readonly unknown[];

/** What stands behind it, with a method for each of the calls. */
export interface Asking {
  readonly watch: CodeWatch;
  readonly run: RunInfo;
  readonly log: WorkflowLog;
  now(): Date;
  random(): number;
  uuid(): string;
}

type Check = (what: string, ...given: Given) => void;

/**
 * What the author's code holds. Every call is checked before it asks for anything, every promise is looked after, and
 * the functions stand by themselves, so that they can be taken out of the object.
 */
export function authorContext(context: Asking): WorkflowContext {
  const { watch } = context;
  const methods = context as unknown as Readonly<Record<string, (...given: Given) => Promise<unknown>>>;
  const call =
    (name: string, check: Check) =>
    (...given: Given): Promise<unknown> => {
      const what = shownCall(name, given[0]);
      const asked = watch.call(what, () => {
        check(what, ...given);
        return methods[name]?.call(context, ...given);
      });
      return watch.handOut(what, asked as Promise<unknown>);
    };
  const own = {
    run: context.run,
    log: context.log,
    now: () => context.now(),
    random: () => watch.call('ctx.random', () => context.random()),
    uuid: () => watch.call('ctx.uuid', () => context.uuid()),
    step: call('step', checkStep),
    sleep: call('sleep', checkSleep),
    sleepUntil: call('sleepUntil', checkSleepUntil),
    start: call('start', checkChild),
    call: call('call', checkChild),
    parallel: call('parallel', checkBranches),
    map: call('map', checkMap),
    race: call('race', checkRace),
  };
  // The types of the interface say more than a table can: what a step returns, what a branch gives.
  return own as unknown as WorkflowContext;
}

const shownCall = (name: string, id: unknown): string =>
  typeof id === 'string' ? `ctx.${name} "${id}"` : `ctx.${name}`;
