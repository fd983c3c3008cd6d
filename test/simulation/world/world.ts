import { MemoryBlobs } from '../../../sdk/testing/memory-blobs.ts';
import type { Item } from '../../../shared/ports/table.ts';
import type { Metric, Telemetry } from '../../../shared/ports/telemetry.ts';
import { DEFAULT_CONFIG, type EngineParts } from '../../../shared/store/engine.ts';
import { HEAD, SCHEDULE } from '../../../shared/store/keys.ts';
import { MemoryTable } from '../../helpers/memory-table.ts';
import type { Rescue } from '../invariants/rescues.ts';
import { Rules } from '../invariants/rules.ts';
import { Kernel } from '../kernel/kernel.ts';
import { Random } from '../kernel/random.ts';
import type { Actor, Role } from './actor.ts';
import { type FaultLimits, FaultPlan, type ScriptedFault, type SingleFault } from './fault-plan.ts';
import { mirrorTable } from './mirror-table.ts';
import { SeededIds } from './seeded-ids.ts';
import { SimProcess } from './sim-process.ts';
import { SimQueue } from './sim-queue.ts';
import { SimTimers } from './sim-timers.ts';
import type { Surroundings } from './surroundings.ts';

export interface WorldOptions {
  readonly seed: number;
  readonly limits?: FaultLimits;
  /** Undefined for chance; null for no fault at all. */
  readonly single?: SingleFault | readonly ScriptedFault[] | null | undefined;
  /** Another table that is asked everything too, and must answer the same; then no index lags and no read is stale. */
  readonly mirror?: EngineParts['table'] | undefined;
}

const RESCUE_OF: Partial<Record<Metric, Rescue>> = {
  leases_recovered: 'lease-recovered',
  dispatches_resent: 'dispatch-resent',
  workers_stale: 'worker-retired',
  dead_letters: 'dead-letter-recorded',
  steps_retried: 'step-retried',
};
const LOGGED: readonly (readonly [RegExp, Rescue])[] = [[/is put back: its version is not served/, 'version-put-back']];

/** What outlives every process, and the chance that rules it. */
export class World implements Surroundings {
  readonly kernel = new Kernel();
  readonly chance: Random;
  readonly faults: FaultPlan;
  readonly rules: Rules;
  readonly ids: SeededIds;
  readonly table: MemoryTable;
  readonly queue: SimQueue;
  readonly timers: SimTimers;
  readonly blobs: MemoryBlobs;
  readonly parts: EngineParts;
  readonly secrets: string[] = [];
  /** Runs that have not ended. */
  readonly open = new Set<string>();
  /** Whose call is being applied. */
  writer: Actor | null = null;
  /** Called when the due index may ask for an earlier tick. */
  onDueChange: () => void = () => undefined;
  /** Told of every write, for rules of a play's own. */
  onItem: (before: Item | null, after: Item | null) => void = () => undefined;
  readonly #processes: SimProcess[] = [];

  constructor(readonly options: WorldOptions) {
    const { seed } = options;
    const { kernel } = this;
    this.chance = new Random(seed, 'schedule');
    this.faults = new FaultPlan(new Random(seed, 'faults'), options.limits ?? {}, options.single);
    this.rules = new Rules(kernel, () => (this.faults.counts['clock-skew'] === undefined ? 2_100 : 602_100));
    this.ids = new SeededIds(new Random(seed, 'ids'));
    this.table = new MemoryTable(
      kernel.clock,
      () => this.#indexLagMs(),
      (before, after) => {
        this.rules.wrote(before, after, this.writer);
        this.#follow(before, after);
        this.onItem(before, after);
        // The index follows the item.
        const { sk } = (after ?? before) as Item;
        if (sk === HEAD || sk === SCHEDULE) kernel.plan(0, () => this.onDueChange());
      },
      () => (options.mirror === undefined && this.faults.strikes('stale-read') ? this.chance.int(1, 5_000) : 0),
    );
    this.queue = new SimQueue(kernel, this.chance, this.faults);
    this.timers = new SimTimers(kernel, this.chance, this.faults, this.queue);
    this.blobs = new MemoryBlobs({ ...kernel.clock, monotonic: kernel.clock.now, sleep: (ms) => kernel.wait(ms) });
    this.parts = {
      table:
        options.mirror === undefined
          ? this.table
          : mirrorTable(this.table, options.mirror, (what) => this.rules.violate('MIRROR', what)),
      queue: this.queue,
      timers: this.timers,
      blobs: this.blobs,
      clock: { now: kernel.clock.now, monotonic: kernel.clock.now, sleep: (ms) => kernel.wait(ms) },
      ids: this.ids,
      telemetry: { count: () => undefined, log: () => undefined },
      config: DEFAULT_CONFIG,
    };
  }

  #indexLagMs(): number {
    if (this.options.mirror !== undefined) return 0;
    return this.faults.strikes('index-lag') ? this.chance.magnitude(500, 60_000) : this.chance.int(0, 500);
  }

  #follow(before: Item | null, after: Item | null): void {
    const { pk, sk } = (after ?? before) as Item;
    if (sk !== HEAD) return;
    if (after === null || 'ttl' in after) this.open.delete(pk);
    else this.open.add(pk);
  }

  spawn(role: Role, label: string = role): SimProcess {
    const process = new SimProcess(this, role, `${this.#processes.length}-${label}`);
    this.#processes.push(process);
    return process;
  }

  note(process: Actor, what: string): void {
    this.kernel.trace.note(this.kernel.now, process.name, what);
  }

  /** Of one way through the network. */
  latencyMs(): number {
    const draw = this.chance.next();
    if (draw < 0.94) return this.chance.int(1, 10);
    return draw < 0.992 ? this.chance.int(10, 200) : this.chance.int(200, 1_500);
  }

  pauseMs(): number {
    const { leaseMs } = this.parts.config;
    return this.chance.int(leaseMs / 2, 5 * leaseMs);
  }

  /** Counts what saved the day, and looks for secrets in what is logged (I19). */
  telemetry(process: Actor): Telemetry {
    return {
      count: (metric, value = 1) => {
        const rescue = RESCUE_OF[metric];
        if (rescue !== undefined) this.rules.rescued(rescue, value);
      },
      log: (level, message, fields) => {
        this.logged(process, `${level} ${message} ${JSON.stringify(fields ?? {})}`);
        if (message !== 'run put down') return;
        if (fields?.['outcome'] === 'handed-over') this.rules.rescued('run-handed-over');
        const head = this.table.everywhere(HEAD).find(({ pk }) => pk.endsWith(`#${fields?.['run_id']}`));
        if (fields?.['outcome'] === 'lost') this.rules.gaveUp(process, head);
      },
    };
  }

  logged(process: Actor, line: string): void {
    this.note(process, `logs ${line.slice(0, 300)}`);
    for (const [pattern, rescue] of LOGGED) if (pattern.test(line)) this.rules.rescued(rescue);
    for (const secret of this.secrets) {
      if (line.includes(secret)) this.rules.violate('I19', `a secret is in the log: ${line.slice(0, 300)}`);
    }
  }
}
