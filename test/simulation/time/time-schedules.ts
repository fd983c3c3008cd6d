import {
  newScheduleConfig,
  OVERLAP_POLICIES,
  type OverlapPolicy,
  type ScheduleConfig,
} from '../../../shared/model/schedule.ts';
import type { Random } from '../kernel/random.ts';

export interface PlannedSchedule {
  readonly id: string;
  readonly config: ScheduleConfig;
  /** Nobody pauses or changes it while it fires: every one of its times is accounted for. */
  readonly isUntouched: boolean;
}

const DAY_MS = 86_400_000;
const ZONES = ['UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kolkata'];
/** Of all fires; the others come in bursts, second after second, once a day. */
const SPARSE = 0.15;
const BURST = 60;

/** One schedule of each policy with even intervals and a daily rush, and bursts by cron that make up the number. */
export function timeSchedules(random: Random, virtualMs: number, fires: number): readonly PlannedSchedule[] {
  return [...sparse(random, virtualMs, fires * SPARSE), ...bursts(random, virtualMs, fires * (1 - SPARSE))];
}

function sparse(random: Random, virtualMs: number, fires: number): readonly PlannedSchedule[] {
  const everyMs = Math.max(1, Math.floor((virtualMs * OVERLAP_POLICIES.length) / fires / 1000)) * 1000;
  return OVERLAP_POLICIES.map((overlap) => {
    const jitterMs = random.chance(0.5) ? 0 : Math.floor(everyMs / 3);
    // Three seconds in a row each day: the second finds the run of the first open.
    const cron = [`0-2 ${random.int(0, 59)} ${random.int(0, 23)} * * *`];
    const config = configOf(random, overlap, { cron, intervals: [{ everyMs, offsetMs: 0 }], jitterMs });
    return { id: `s-${overlap}`, config, isUntouched: overlap === 'allow_all' || random.chance(0.6) };
  });
}

function bursts(random: Random, virtualMs: number, fires: number): readonly PlannedSchedule[] {
  const aDay = Math.ceil((fires * DAY_MS) / virtualMs);
  const count = Math.ceil(aDay / BURST);
  const last = Math.ceil(aDay / count) - 1;
  return Array.from({ length: count }, (_, index) => {
    const cron = [`0-${last} ${random.int(0, 59)} ${random.int(0, 23)} * * *`];
    const spec = { cron, timeZone: random.pick(ZONES) };
    return { id: `burst-${index}`, config: configOf(random, 'allow_all', spec), isUntouched: true };
  });
}

const configOf = (random: Random, overlap: OverlapPolicy, spec: Partial<ScheduleConfig['spec']>): ScheduleConfig =>
  newScheduleConfig({ workflowType: 'report', maxCatchup: random.int(0, 5), overlap, spec });
