import type { Item, Key } from '../../../shared/ports/table.ts';
import { ENGINE_PK, HEAD, NAMESPACES_PK } from '../../../shared/store/keys.ts';
import { WriteGuard } from '../../helpers/write-guard.ts';
import type { Kernel } from '../kernel/kernel.ts';
import type { Actor, Sent } from '../world/actor.ts';
import { Recovery } from './recovery.ts';
import { type Rescue, rescueOf } from './rescues.ts';
import { Storms } from './storms.ts';

export interface Violation {
  readonly invariant: string;
  readonly message: string;
}

const PROOF_MS = 1_000;
/** More calls than this of one process in a tenth of a second are a hot loop. */
const HOT_CALLS = 2_000;
const LEAVES_RUNNING: ReadonlySet<unknown> = new Set(['SLEEPING', 'PENDING', 'COMPLETED', 'FAILED']);
const DECIDED: ReadonlySet<unknown> = new Set(['COMPLETED', 'FAILED']);

export const statusOf = (item: Item | null | undefined): string | null =>
  typeof item?.['st'] === 'string' ? item['st'] : null;

/** The name of a step within its run, whatever scope it was asked for in. */
export const stepName = (key: string): string => key.slice(key.lastIndexOf('/') + 1);
const runOf = (pk: string): string => pk.slice(pk.lastIndexOf('#') + 1);

/** Watches everything that happens and says at once what must not have. */
export class Rules {
  readonly violations: Violation[] = [];
  readonly rescues: Partial<Record<Rescue, number>> = {};
  calls = 0;
  readonly recovery: Recovery;
  readonly #storms: Storms;
  readonly #guard: WriteGuard;
  readonly #holders = new Map<string, Actor>();
  readonly #claims = new Map<string, number>();
  readonly #proofs = new Map<string, Sent>();
  /** Those of them that are surely of the latest claim: a read may be of an earlier one that the same process lost. */
  readonly #latestProofs = new Map<string, Sent>();
  readonly #recordedAt = new Map<string, number>();
  readonly #seen = new Map<string, string>();
  readonly #keys = new Map<string, string>();
  readonly #steps = new Map<string, string>();
  readonly #woken = new Set<string>();
  readonly #wakeTimes = new Map<string, number>();
  readonly #replies = new Map<string, string>();
  readonly #active = new Map<Actor, Map<string, number>>();
  readonly #hot = new Map<Actor, { slot: number; calls: number }>();

  constructor(
    private readonly kernel: Kernel,
    /** How wrong the clock of an API process may be. */
    private readonly apiSkewMs: () => number,
  ) {
    this.#guard = new WriteGuard(() => kernel.now + 600_000);
    this.#storms = new Storms(kernel.clock.now, (message) => this.violate('I17', message));
    this.recovery = new Recovery(kernel.clock.now, (message) => this.violate('I16', message));
  }

  violate(invariant: string, message: string): void {
    this.violations.push({ invariant, message });
    this.kernel.trace.note(this.kernel.now, 'VIOLATION', `${invariant}: ${message}`);
  }

  rescued(rescue: Rescue, times = 1): void {
    this.rescues[rescue] = (this.rescues[rescue] ?? 0) + times;
  }

  /** Before a call is sent: I12 and I17. */
  touches(process: Actor, call: string, args: readonly unknown[], namespace: string | null): void {
    this.calls += 1;
    const slot = Math.floor(this.kernel.now / 100);
    const hot = this.#hot.get(process);
    if (hot?.slot !== slot) this.#hot.set(process, { slot, calls: 1 });
    else if (++hot.calls === HOT_CALLS)
      this.violate('I17', `${process.name} makes ${HOT_CALLS} calls in 100 ms: ${call}`);
    if (call === 'queue.send' && process.role === 'watchdog')
      this.#storms.sends(process.name, args[1] as readonly { readonly body: string }[]);
    if (namespace === null) return;
    for (const name of namesTouched(call, args)) {
      if (name.startsWith(`${namespace}#`) || name.startsWith(`${namespace}/`) || name === namespace) continue;
      if (name.startsWith(ENGINE_PK) || name.startsWith(NAMESPACES_PK)) continue;
      this.violate('I12', `${process.name}, which serves ${namespace}, touches ${name} by ${call}`);
    }
  }

  troubled(process: Actor, call: string, [key]: readonly unknown[], fault: string): void {
    this.recovery.troubled(process, call, key as Partial<Key> | undefined, fault);
  }

  /** A call was applied: proofs of ownership, and what saved the day. */
  applied(process: Actor, call: string, args: readonly unknown[], value: unknown, sent: Sent): void {
    const rescue = rescueOf(call, args, value);
    if (rescue !== null) this.rescued(rescue);
    const head = headOf(call, args, value);
    this.kernel.trace.note(this.kernel.now, process.name, `${call} ${keyText(args)}${outcome(value)}`);
    if (head === null || head['st'] !== 'RUNNING' || this.#holders.get(head['lt'] as string) !== process) return;
    const name = `${process.name} ${runOf(head.pk)}`;
    this.#proves(this.#proofs, name, sent);
    if (call !== 'table.get' || this.#claims.get(name) === 1) this.#proves(this.#latestProofs, name, sent);
  }

  /** Of two answers the one that was sent first may come last. */
  #proves(proofs: Map<string, Sent>, name: string, sent: Sent): void {
    if (sent.monotonic >= (proofs.get(name)?.monotonic ?? 0)) proofs.set(name, sent);
  }

  /** A worker over HTTP sent a begin: the proof of that step. */
  begins(process: Actor, run: string, key: string, sent: Sent): void {
    const name = `${process.name} ${run} ${stepName(key)}`;
    this.#proofs.set(name, sent);
    this.#latestProofs.set(name, sent);
  }

  /** An item changed, whoever did it: I2, I4, I9. */
  wrote(before: Item | null, after: Item | null, writer: Actor | null): void {
    this.#guard.see(before, after);
    for (const wrong of this.#guard.wrong.splice(0)) this.violate(wrong.slice(0, 2), wrong);
    if (after === null) return;
    if (after.sk === HEAD) this.#wroteHead(before, after, writer);
    else if (after.sk.startsWith('step#')) this.#wroteStep(after);
  }

  #wroteHead(before: Item | null, after: Item, writer: Actor | null): void {
    if (writer === null || before === null) return;
    const run = runOf(after.pk);
    if (before['st'] !== 'RUNNING') {
      if (after['st'] === 'RUNNING') this.#claimed(after, run, writer);
      return;
    }
    const isRecovered = after['st'] === 'PENDING' && after['ep'] !== before['ep'];
    if (isRecovered && (writer.role === 'watchdog' || writer.role === 'wake')) this.recovery.recovered(writer, before);
    if (writer.role !== 'direct' && writer.role !== 'lambda') return;
    const ends = LEAVES_RUNNING.has(after['st']);
    const renews = after['st'] === 'RUNNING' && before['lu'] !== after['lu'];
    if ((ends || renews) && this.#holders.get(before['lt'] as string) !== writer) {
      this.violate('I4', `${writer.name} writes the head of ${run}, which another process holds`);
    }
  }

  #claimed(head: Item, run: string, writer: Actor): void {
    this.#holders.set(head['lt'] as string, writer);
    this.recovery.claimed(writer, head);
    const name = `${writer.name} ${run}`;
    this.#claims.set(name, (this.#claims.get(name) ?? 0) + 1);
  }

  #wroteStep(item: Item): void {
    const name = `${runOf(item.pk)} ${stepName(item['id'] as string)}`;
    if (item['st'] === 'SLEEPING') this.#wakeTimes.set(name, item['wk'] as number);
    if (DECIDED.has(item['st']) && !this.#recordedAt.has(name)) this.#recordedAt.set(name, this.kernel.now);
  }

  /** A body starts: I3, I5, I10. */
  bodyStarts(process: Actor, run: string, step: string, idempotencyKey: string, atMostOnce: boolean): void {
    this.kernel.trace.note(this.kernel.now, process.name, `starts ${step} of ${run.slice(0, 8)}`);
    const name = `${run} ${step}`;
    const known = this.#keys.get(name);
    if (known !== undefined && known !== idempotencyKey) this.violate('I5', `${name} has two idempotency keys`);
    const other = this.#steps.get(idempotencyKey);
    if (other !== undefined && other !== name) this.violate('I5', `${name} and ${other} have the same idempotency key`);
    if (known !== undefined && atMostOnce) this.violate('I3', `${process.name} starts ${name} again: at most once!`);
    this.#keys.set(name, idempotencyKey);
    this.#steps.set(idempotencyKey, name);
    const direct = process.role !== 'poll';
    const prover = direct ? `${process.name} ${run}` : `${process.name} ${name}`;
    const [proof, latest] = [this.#proofs.get(prover), this.#latestProofs.get(prover)];
    if (proof === undefined) {
      this.violate('I10', `${process.name} starts ${name} without a proof of ownership`);
      return;
    }
    const age = process.clock.monotonic() - proof.monotonic;
    if (age >= PROOF_MS) this.violate('I10', `${process.name} starts ${name} on a proof that is ${age} ms old`);
    const recordedAt = this.#recordedAt.get(name);
    if (recordedAt !== undefined && latest !== undefined && recordedAt < latest.at) {
      this.violate(
        'I3',
        `${process.name} starts ${name} again, though its result was recorded before the proof was sent`,
      );
    }
  }

  /** The code sees an outcome: the same one as everybody before it (I2). */
  saw(run: string, step: string, outcome: string): void {
    const name = `${run} ${step}`;
    const before = this.#seen.get(name);
    if (before === undefined) this.#seen.set(name, outcome);
    else if (before !== outcome) this.violate('I2', `${name} was ${before} and is ${outcome} now`);
  }

  /** A sleep is over for the code: not before its time by the waker's clock (I6). */
  woke(process: Actor, run: string, step: string): void {
    const name = `${run} ${step}`;
    if (this.#woken.has(name)) return;
    this.#woken.add(name);
    // A worker over HTTP goes by the clock of whichever API process it heard last.
    const now = process.role === 'poll' ? this.kernel.now + this.apiSkewMs() : process.latest;
    const early = (this.#wakeTimes.get(name) ?? Number.POSITIVE_INFINITY) - now;
    if (early > 0) this.violate('I6', `${process.name} woke ${name} ${early} ms early`);
  }

  /** All replies for one external id name one run (I14). */
  replied(namespace: string, externalId: string, runId: string): void {
    const name = `${namespace} ${externalId}`;
    const before = this.#replies.get(name);
    this.#replies.set(name, runId);
    if (before !== undefined && before !== runId) this.violate('I14', `${name} is ${before} and ${runId}`);
  }

  /** A worker says that it lost a run: then it is another's, or over (I16: nobody waits for a lease without need). */
  gaveUp(process: Actor, head: Item | undefined): void {
    if (head?.['st'] !== 'RUNNING' || this.#holders.get(head['lt'] as string) !== process) return;
    // Of a run that it has claimed again since, it may well have lost the former claim.
    if (this.#claims.get(`${process.name} ${runOf(head.pk)}`) !== 1) return;
    this.violate('I16', `${process.name} gave up ${runOf(head.pk)}, which is still its own`);
  }

  /** A worker has bodies of no more runs under way than it may (I11); answers how to say that one has ended. */
  works(process: Actor, run: string, limit: number): () => void {
    const active = this.#active.get(process) ?? new Map<string, number>();
    active.set(run, (active.get(run) ?? 0) + 1);
    this.#active.set(process, active);
    if (active.size > limit)
      this.violate('I11', `${process.name} works on ${active.size} runs, and ${limit} are allowed`);
    return () => {
      const left = (active.get(run) ?? 1) - 1;
      if (left === 0) active.delete(run);
      else active.set(run, left);
    };
  }
}

function namesTouched(call: string, args: readonly unknown[]): readonly string[] {
  const [first, second] = args as [unknown, unknown];
  switch (call) {
    case 'table.put':
    case 'table.get':
    case 'table.update':
    case 'table.delete':
    case 'table.query':
      return [(first as Key).pk];
    case 'table.batchGet':
      return (first as readonly Key[]).map(({ pk }) => pk);
    case 'queue.send':
      return (second as readonly { readonly group: string }[]).map(({ group }) => group);
    case 'blobs.put':
    case 'blobs.get':
      return [first as string];
    default:
      return [];
  }
}

/** The head that a call proved something about, if it did. */
function headOf(call: string, args: readonly unknown[], value: unknown): Item | null {
  const [key, options] = args as [Key | undefined, { readonly consistent?: boolean } | undefined];
  if (key?.sk !== HEAD) return null;
  if (call === 'table.get' && options?.consistent === true) return (value as { readonly item: Item | null }).item;
  if (call === 'table.update') return (value as { readonly item?: Item }).item ?? null;
  return null;
}

function keyText([first, second]: readonly unknown[]): string {
  if (typeof first === 'string') return Array.isArray(second) ? `${first} x${second.length}` : first;
  const { pk, sk } = (first ?? {}) as Partial<Key>;
  return pk === undefined ? '' : `${pk} ${sk ?? ''}`;
}

function outcome(value: unknown): string {
  const { ok, item, current } = (value ?? {}) as { ok?: boolean; item?: Item | null; current?: Item | null };
  if (ok === false) return ` lost to ${statusOf(current) ?? 'nothing'}`;
  const status = statusOf(item);
  return status === null ? '' : ` -> ${status}`;
}
