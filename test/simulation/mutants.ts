import type { Patch } from './bundle.ts';

/** The engine with one thing wrong: a patch of a source file, applied when the simulator is bundled. */
export interface Mutant extends Patch {
  /** The first that catches it, as `npm run sim:mutants -- --search` last said: it is played first. */
  readonly seed: number;
}

export const MUTANTS: readonly Mutant[] = [
  {
    name: 'no epoch in the condition of a head write',
    seed: 11,
    file: 'shared/store/run-head.ts',
    find: "...(change.fence.epoch === null ? [] : [{ op: '=', attr: 'ep', value: change.fence.epoch } as const]),",
    replace: '',
  },
  {
    name: "the owner's name instead of the epoch",
    seed: 110,
    file: 'shared/store/run-head.ts',
    find: "...(change.fence.epoch === null ? [] : [{ op: '=', attr: 'ep', value: change.fence.epoch } as const]),",
    replace:
      "...('lease' in change.fence ? [{ op: '=', attr: 'lo', value: (change.fence as never as { lease: { owner: string } }).lease.owner } as const] : []),",
  },
  {
    name: 'a renewal that does not look at the epoch',
    seed: 11,
    file: 'shared/store/runs.ts',
    find: "    transition: 'renew',\n    fence: run,",
    replace: "    transition: 'renew',\n    fence: { incarnation: run.incarnation, epoch: null },",
  },
  {
    name: 'a takeover from what was read, without looking at the epoch',
    seed: 30,
    file: 'shared/store/runs.ts',
    find: '    transition: how.transition,\n    fence: run,',
    replace: '    transition: how.transition,\n    fence: { incarnation: run.incarnation, epoch: null },',
  },
  {
    name: 'a run without a row in the due index',
    seed: 1,
    file: 'shared/store/runs.ts',
    find: '    ...dueAttributes(run.runId, run.availableAt + DISPATCH_GRACE_MS, engine.config.dueShards),\n',
    replace: '',
  },
  {
    name: 'a result acknowledged before it is written',
    seed: 3,
    file: 'shared/usecases/record-step.ts',
    find: '  return writeStep(engine, scopeOf(leaseOf(run)), step, expect).then((write) => {',
    replace:
      '  void writeStep(engine, scopeOf(leaseOf(run)), step, expect).catch(() => undefined);\n  if (fresh.attempt < 99) return Promise.resolve(fresh);\n  return writeStep(engine, scopeOf(leaseOf(run)), step, expect).then((write) => {',
  },
  {
    name: 'a result that replaces the one before',
    seed: 2,
    file: 'shared/store/steps.ts',
    find: 'engine.table.put(item, expect)',
    replace: 'engine.table.put(item)',
  },
  {
    name: 'an own ambiguous write of the head taken for a loss',
    seed: 2,
    file: 'shared/store/run-head.ts',
    find: 'const own = current.writeId === writeId || endsEpoch(change, current) || change.isOwn?.(current) === true;',
    replace: 'const own = false;',
  },
  {
    name: 'a suspension that does not look at the inbox',
    seed: 138,
    file: 'shared/store/runs.ts',
    find: '  if (inboxRead === undefined) return [];',
    replace: '  if (inboxRead !== -1) return [];',
  },
  {
    name: 'a parent told before the news is in its inbox',
    seed: 135,
    file: 'shared/usecases/end-run.ts',
    find: '  await putArrival(engine, { ...parentId, incarnation }, name, arrival);\n  for (;;) {',
    replace:
      '  void engine.clock.sleep(5_000).then(() => putArrival(engine, { ...parentId, incarnation }, name, arrival));\n  for (;;) {',
  },
  {
    name: 'an ended run that leaves the due index before it has told its parent',
    seed: 11,
    file: 'shared/store/runs.ts',
    find: 'due: owes ? options.now + DISPATCH_GRACE_MS : blobs ? expiresAt : null,',
    replace: 'due: blobs ? expiresAt : null,',
  },
  {
    name: 'a body that starts without a proof',
    seed: 1,
    file: 'sdk/worker/direct-journal.ts',
    find: 'const PROOF_MS = 1_000;',
    replace: 'const PROOF_MS = 100_000;',
  },
  {
    name: 'a sleep that ends a second early',
    seed: 4,
    file: 'sdk/replay/execution.ts',
    find: 'untilOf(one) <= now)',
    replace: 'untilOf(one) <= now + 1_000)',
  },
  {
    name: 'a start that replaces the run before',
    seed: 4,
    file: 'shared/store/runs.ts',
    find: "        { op: 'missing', attr: 'pk' },\n        { op: '<=', attr: 'ttl'",
    replace:
      "        { op: 'exists', attr: 'pk' },\n        { op: 'missing', attr: 'pk' },\n        { op: '<=', attr: 'ttl'",
  },
  {
    name: 'another idempotency key for every attempt',
    seed: 1,
    file: 'sdk/replay/attempt-body.ts',
    find: 'return idempotencyKey(run.runId, incarnation, this.#key);',
    replace: 'return idempotencyKey(run.runId, incarnation, this.#key + this.attempt);',
  },
  {
    name: "a worker that gets another namespace's messages",
    seed: 1,
    file: 'sdk/worker/embedded-worker.ts',
    find: '      group: namespace,\n',
    replace: '',
  },
  {
    name: 'a payload in the log',
    seed: 1,
    file: 'shared/usecases/record-step.ts',
    find: "engine.telemetry.count('steps_completed'",
    replace:
      "engine.telemetry.log('info', 'step recorded', { output: request.output ?? null });\n      engine.telemetry.count('steps_completed'",
  },
  {
    name: 'a worker that takes more runs than it may',
    seed: 3,
    file: 'sdk/worker/embedded-worker.ts',
    find: 'receive(parts, parts.maxConcurrent - active.size,',
    replace: 'receive(parts, parts.maxConcurrent,',
  },
  {
    name: 'a replay that follows the first owner instead of the last',
    seed: 16,
    file: 'sdk/replay/lineage.ts',
    find: 'Math.max(latest, trace.epoch), 0)',
    replace: 'Math.min(latest, trace.epoch), 1_000_000)',
  },
  {
    name: 'a pack that lacks a step',
    seed: 45,
    file: 'shared/store/history.ts',
    find: '  const chunks = encodeChunks(steps);',
    replace: '  const chunks = encodeChunks(steps.slice(1));',
  },
  {
    name: 'a history read without consistency',
    seed: 29,
    file: 'shared/store/history.ts',
    find: '    prefix: stepPrefix(run.incarnation, page.generation ?? run.history.generation),\n    consistent: true,',
    replace: '    prefix: stepPrefix(run.incarnation, page.generation ?? run.history.generation),',
  },
  {
    name: 'steps that forget their failed attempts',
    seed: 16,
    file: 'sdk/replay/step-operation.ts',
    find: "    if (step.state.status === 'PENDING') this.#waitUntil(step.state.nextRetryAt, step.attempt);",
    replace: "    if (step.state.status === 'PENDING') this.#waitUntil(step.state.nextRetryAt, 1);",
  },
  {
    name: 'a cancel that stops at the run itself',
    seed: 118,
    file: 'shared/usecases/end-run.ts',
    find: "if (run.children && run.status !== 'COMPLETED') await cancelChildren(engine, run);",
    replace: '',
  },
  {
    name: 'a claim dropped because its message could not be acknowledged',
    seed: 1,
    file: 'shared/usecases/acknowledge.ts',
    find: "    engine.telemetry.log('warn', 'a message could not be acknowledged', { error: String(error) });",
    replace: '    throw error;',
  },
  {
    name: 'a takeover of a lease that has not lapsed',
    seed: 15,
    file: 'shared/usecases/watchdog-tick.ts',
    find: '  if (run.lease.until > now) {',
    replace: '  if (run.lease.until > now + 25_000) {',
  },
  {
    name: 'a lapsed lease that is looked for an hour late',
    seed: 1,
    file: 'shared/usecases/watchdog-tick.ts',
    find: '    await pushDue(engine, run, run.lease.until, run.resends);',
    replace: '    await pushDue(engine, run, run.lease.until + 3_600_000, run.resends);',
  },
  {
    name: 'a timer that stays armed',
    seed: 50,
    file: 'shared/store/dispatch.ts',
    find: '    await engine.timers.cancel(timerId(run));',
    replace: '',
  },
  {
    name: 'an ended run that stays due',
    seed: 1,
    file: 'shared/store/runs.ts',
    find: '    due: run.blobs ? run.expiresAt : null,',
    replace: '    due: run.finishedAt + 86_400_000,',
  },
  {
    name: 'a dispatch sent again at every tick',
    seed: 1,
    file: 'shared/usecases/watchdog-tick.ts',
    find: 'pushDue(engine, run, now + resendWaitMs(resends), resends)',
    replace: 'pushDue(engine, run, now, resends)',
  },
  {
    name: 'an at-most-once step that is executed again',
    seed: 21,
    file: 'sdk/replay/step-operation.ts',
    find: 'const visible = this.terms.atMostOnce;',
    replace: 'const visible = false;',
  },
  {
    name: 'a cancel acknowledged before it is written',
    seed: 6,
    file: 'shared/usecases/cancel-run.ts',
    find: '  const write = await cancelOpen(engine, run, reason);',
    replace:
      "  void cancelOpen(engine, run, reason).catch(() => undefined);\n  if (run.runId !== '') return run;\n  const write = await cancelOpen(engine, run, reason);",
  },
];
