import type { Item, Key } from '../../../shared/ports/table.ts';
import { HEAD } from '../../../shared/store/keys.ts';
import type { Actor } from '../world/actor.ts';

/** Clocks are always this wrong, and no matter. */
const SKEW_MS = 2_000;
/** So many lost answers in a row may outlast a lease. */
const MAX_UNSURE = 4;
/** What a claim must have left of its lease, so that the first renewal comes in time. */
const FRESH_MS = 15_000;
/** A tick, an index that lags, a watchdog that has to be started again or stood still, and the calls they make. */
const FOUND_WITHIN_MS = 1_000 + 60_000 + 119_000 + 150_000 + 30_000;

interface Claim {
  readonly holder: Actor;
  /** Whether much of its lease was left when it was applied: a worker may stand still while its claim is under way. */
  readonly isFresh: boolean;
  readonly troubles: number;
  readonly unsure: number;
}

/**
 * I16. A run is taken from a worker that is alive only if something kept the worker from renewing its lease: an answer
 * that got lost is no reason, because what was written can be recognised. And what has lapsed is found in time.
 */
export class Recovery {
  readonly #claims = new Map<string, Claim>();
  readonly #troubles = new Map<Actor, number>();
  readonly #unsure = new Map<Actor, number>();
  #healedAt = Number.POSITIVE_INFINITY;

  constructor(
    private readonly now: () => number,
    private readonly violate: (message: string) => void,
  ) {}

  healed(): void {
    this.#healedAt = this.now();
  }

  /** A fault strikes a call of the process. */
  troubled(process: Actor, call: string, key: Partial<Key> | undefined, fault: string): void {
    // A message is a hint: who has claimed a run does not need it any more.
    if (call === 'queue.receive' || call === 'queue.ack') return;
    const isUnsure = fault === 'ambiguous' && call === 'table.update' && key?.sk === HEAD;
    const counts = isUnsure ? this.#unsure : this.#troubles;
    counts.set(process, (counts.get(process) ?? 0) + 1);
  }

  claimed(holder: Actor, head: Item): void {
    const isFresh = (head['lu'] as number) - this.now() > FRESH_MS;
    this.#claims.set(head['lt'] as string, { holder, isFresh, ...this.#state(holder) });
  }

  /** Somebody else ended the lease. */
  recovered(writer: Actor, before: Item): void {
    const claim = this.#claims.get(before['lt'] as string);
    if (claim === undefined || before['lse'] !== undefined) return;
    const { holder } = claim;
    const { troubles, unsure } = this.#state(holder);
    const wrong = Math.max(Math.abs(holder.skewMs), Math.abs(writer.skewMs));
    const isBlameless =
      claim.isFresh && holder.isAwake && troubles === claim.troubles && unsure - claim.unsure < MAX_UNSURE;
    if (isBlameless && wrong <= SKEW_MS) {
      this.violate(`${writer.name} takes ${before.pk} from ${holder.name}, which is well`);
    }
    const late = this.now() - Math.max(this.#healedAt, before['lu'] as number);
    if (late > FOUND_WITHIN_MS + 2 * wrong) {
      this.violate(`${writer.name} finds only ${late} ms later that the lease of ${before.pk} has lapsed`);
    }
  }

  #state(holder: Actor): Omit<Claim, 'holder' | 'isFresh'> {
    return {
      troubles: holder.pauses + (this.#troubles.get(holder) ?? 0),
      unsure: this.#unsure.get(holder) ?? 0,
    };
  }
}
