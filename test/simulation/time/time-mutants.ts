import type { Patch } from '../bundle.ts';

/** Schedules with one thing wrong. */
export const TIME_MUTANTS: readonly Patch[] = [
  {
    name: 'an external id that says when it was written, not for which time',
    file: 'shared/usecases/make-fires.ts',
    find: 'externalId: externalIdOf(schedule, fire),',
    replace: "externalId: externalIdOf(schedule, fire) + ':' + engine.ids.writeId(),",
  },
  {
    name: 'a decision that is settled before its runs are started',
    file: 'shared/usecases/make-fires.ts',
    find: '  const { firing } = schedule;\n  if (firing === null) return schedule;',
    replace:
      '  const { firing } = schedule;\n  if (firing === null) return schedule;\n  await settleFires(engine, schedule, firing.fires.map((fire) => ({ fire, error: null, lagMs: null })));',
  },
  {
    name: 'fires that come a minute early',
    file: 'shared/model/plan-fires.ts',
    find: '  if (comes === null || comes > now) return { kept: [], skipped: null };',
    replace: '  if (comes === null) return { kept: [], skipped: null };\n  now += 3_600_000;',
  },
  {
    name: 'nothing is caught up',
    file: 'shared/model/missed-fires.ts',
    find: '  const kept = caughtUp.length > inTime.length ? caughtUp : inTime;',
    replace: '  const kept = inTime.slice(caughtUp.length - caughtUp.length, 0);',
  },
  {
    name: 'overlap that is not looked at',
    file: 'shared/usecases/fire-schedule.ts',
    find: '  return run !== null && !isEnded(run);',
    replace: '  return run === undefined;',
  },
  {
    name: 'a change that does not wait for what is under way',
    file: 'shared/store/schedules.ts',
    find: "    { op: '=', attr: 'wr', value: writes },\n",
    replace: '',
  },
  {
    name: 'a backfill that does not look which times have a run',
    file: 'shared/usecases/fire-schedule.ts',
    find: 'const ran = await timesThatRan(engine, schedule, options.limit);',
    replace: 'const ran = new Set<number>();',
  },
];
