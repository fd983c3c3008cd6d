/** The engine with one thing wrong. Each is a patch of a source file, applied when the simulator is bundled. */
export interface Mutant {
  readonly name: string;
  readonly file: string;
  readonly find: string;
  readonly replace: string;
}

export const MUTANTS: readonly Mutant[] = [
  {
    name: 'no epoch in the condition of a head write',
    file: 'shared/store/run-head.ts',
    find: "...(change.fence.epoch === null ? [] : [{ op: '=', attr: 'ep', value: change.fence.epoch } as const]),",
    replace: '',
  },
  {
    name: "the owner's name instead of the epoch",
    file: 'shared/store/run-head.ts',
    find: "...(change.fence.epoch === null ? [] : [{ op: '=', attr: 'ep', value: change.fence.epoch } as const]),",
    replace:
      "...('lease' in change.fence ? [{ op: '=', attr: 'lo', value: (change.fence as never as { lease: { owner: string } }).lease.owner } as const] : []),",
  },
  {
    name: 'a renewal that does not look at the epoch',
    file: 'shared/store/runs.ts',
    find: "    transition: 'renew',\n    fence: run,",
    replace: "    transition: 'renew',\n    fence: { incarnation: run.incarnation, epoch: null },",
  },
  {
    name: 'a takeover from what was read, without looking at the epoch',
    file: 'shared/store/runs.ts',
    find: '    transition: how.transition,\n    fence: run,',
    replace: '    transition: how.transition,\n    fence: { incarnation: run.incarnation, epoch: null },',
  },
  {
    name: 'a run without a row in the due index',
    file: 'shared/store/runs.ts',
    find: '    ...dueAttributes(run.runId, run.availableAt + DISPATCH_GRACE_MS, engine.config.dueShards),\n',
    replace: '',
  },
  {
    name: 'a result acknowledged before it is written',
    file: 'shared/usecases/record-step.ts',
    find: '  let seen = request.known;\n  for (;;) {',
    replace:
      '  void writeStep(engine, scopeOf(lease), fresh, asKnown(request.known, false)).catch(() => undefined);\n  if (fresh.attempt < 99) return fresh;\n  let seen = request.known;\n  for (;;) {',
  },
  {
    name: 'a result that replaces the one before',
    file: 'shared/store/steps.ts',
    find: 'engine.table.put(stepItem(key, counted, ttl), expect)',
    replace: 'engine.table.put(stepItem(key, counted, ttl))',
  },
  {
    name: 'an own ambiguous write of the head taken for a loss',
    file: 'shared/store/run-head.ts',
    find: 'const own = current.writeId === writeId || endsEpoch(change, current) || change.isOwn?.(current) === true;',
    replace: 'const own = false;',
  },
  {
    name: 'a suspension that does not look at the inbox',
    file: 'shared/store/runs.ts',
    find: '  if (inboxRead === undefined) return [];',
    replace: '  if (inboxRead !== -1) return [];',
  },
  {
    name: 'a parent told before the news is in its inbox',
    file: 'shared/usecases/end-run.ts',
    find: '  await putArrival(engine, { ...parentId, incarnation }, name, arrival);\n  for (;;) {',
    replace:
      '  void engine.clock.sleep(5_000).then(() => putArrival(engine, { ...parentId, incarnation }, name, arrival));\n  for (;;) {',
  },
  {
    name: 'an ended run that leaves the due index before it has told its parent',
    file: 'shared/store/runs.ts',
    find: 'due: owes ? options.now + DISPATCH_GRACE_MS : blobs ? expiresAt : null,',
    replace: 'due: blobs ? expiresAt : null,',
  },
  {
    name: 'a body that starts without a proof',
    file: 'sdk/worker/direct-journal.ts',
    find: 'const PROOF_MS = 1_000;',
    replace: 'const PROOF_MS = 100_000;',
  },
  {
    name: 'a sleep that ends a second early',
    file: 'sdk/replay/execution.ts',
    find: 'untilOf(one) <= now)',
    replace: 'untilOf(one) <= now + 1_000)',
  },
  {
    name: 'a start that replaces the run before',
    file: 'shared/store/runs.ts',
    find: "        { op: 'missing', attr: 'pk' },\n        { op: '<=', attr: 'ttl'",
    replace:
      "        { op: 'exists', attr: 'pk' },\n        { op: 'missing', attr: 'pk' },\n        { op: '<=', attr: 'ttl'",
  },
  {
    name: 'another idempotency key for every attempt',
    file: 'sdk/replay/step-operation.ts',
    find: 'idempotencyKey: idempotencyKey(journal.run.runId, journal.incarnation, place.key),',
    replace: 'idempotencyKey: idempotencyKey(journal.run.runId, journal.incarnation, place.key + attempt),',
  },
  {
    name: "a worker that gets another namespace's messages",
    file: 'sdk/worker/embedded-worker.ts',
    find: '      group: namespace,\n',
    replace: '',
  },
  {
    name: 'a payload in the log',
    file: 'shared/usecases/record-step.ts',
    find: "if (write.ok) engine.telemetry.count('steps_completed'",
    replace:
      "if (write.ok) engine.telemetry.log('info', 'step recorded', { output: request.output ?? null });\n    if (write.ok) engine.telemetry.count('steps_completed'",
  },
  {
    name: 'a worker that takes more runs than it may',
    file: 'sdk/worker/embedded-worker.ts',
    find: 'if (active.size >= parts.maxConcurrent) {',
    replace: 'if (active.size >= 100) {',
  },
  {
    name: 'a replay that follows the first owner instead of the last',
    file: 'sdk/replay/lineage.ts',
    find: 'Math.max(latest, trace.epoch), 0)',
    replace: 'Math.min(latest, trace.epoch), 1_000_000)',
  },
  {
    name: 'a pack that lacks a step',
    file: 'shared/store/history.ts',
    find: '  const chunks = encodeChunks(steps);',
    replace: '  const chunks = encodeChunks(steps.slice(1));',
  },
  {
    name: 'a history read without consistency',
    file: 'shared/store/history.ts',
    find: '    prefix: stepPrefix(run.incarnation, page.generation ?? run.history.generation),\n    consistent: true,',
    replace: '    prefix: stepPrefix(run.incarnation, page.generation ?? run.history.generation),',
  },
  {
    name: 'steps that forget their failed attempts',
    file: 'sdk/replay/step-operation.ts',
    find: "    if (step.state.status === 'PENDING') waitUntil(step.state.nextRetryAt, step.attempt);",
    replace: "    if (step.state.status === 'PENDING') waitUntil(step.state.nextRetryAt, 1);",
  },
  {
    name: 'a cancel that stops at the run itself',
    file: 'shared/usecases/end-run.ts',
    find: "if (run.children && run.status !== 'COMPLETED') await cancelChildren(engine, run);",
    replace: '',
  },
];
