import type { Telemetry } from '../../../shared/ports/telemetry.ts';
import type { EngineParts } from '../../../shared/store/engine.ts';
import type { Rules } from '../invariants/rules.ts';
import type { Kernel } from '../kernel/kernel.ts';
import type { Random } from '../kernel/random.ts';
import type { Actor } from './actor.ts';
import type { FaultPlan } from './fault-plan.ts';

/** What a process finds around it. */
export interface Surroundings {
  readonly kernel: Kernel;
  readonly chance: Random;
  readonly faults: FaultPlan;
  readonly rules: Rules;
  readonly parts: EngineParts;
  /** Whose call is being applied. */
  writer: Actor | null;
  note(actor: Actor, what: string): void;
  latencyMs(): number;
  pauseMs(): number;
  telemetry(actor: Actor): Telemetry;
}
