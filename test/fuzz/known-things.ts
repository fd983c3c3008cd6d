import { UNKNOWN_ID, UNKNOWN_LEASE } from '../helpers/api-driver.ts';

type Fields = Readonly<Record<string, unknown>>;

interface PageToken {
  readonly path: string;
  readonly params: Fields;
  readonly query: Fields;
  readonly token: string;
}

const KEPT = 30;
/** Leases lapse soon. */
const HELD_KEPT = 6;
export const UNKNOWN_LETTER = '1800000000000-AAAAAAAAAAAAAAAA';
const ENDED: ReadonlySet<unknown> = new Set(['COMPLETED', 'FAILED', 'CANCELLED']);

const newStep = (pick: number): string => `step ${pick}`;

/** What the answers of one namespace have named: the newest of each kind. */
export class KnownThings {
  readonly #runs = new Newest<string>();
  readonly #ended = new Newest<string>();
  readonly #workers = new Newest<string>();
  readonly #letters = new Newest<string>();
  readonly #schedules = new Newest<string>();
  readonly #held = new Newest<{ readonly runId: string; readonly lease: string }>(HELD_KEPT);
  readonly #tokens = new Newest<PageToken>();

  /** Reads an answer for names, whatever call it came from. */
  learn(asked: { readonly path: string; readonly params: Fields; readonly query: Fields }, answer: unknown): void {
    if (Array.isArray(answer)) {
      for (const item of answer) this.learn(asked, item);
      return;
    }
    if (typeof answer !== 'object' || answer === null) return;
    const {
      run_id,
      lease,
      status,
      worker_id,
      id,
      died_at,
      schedule_id,
      revision,
      next_page_token: token,
    } = answer as Fields;
    if (typeof run_id === 'string') this.#runs.add(run_id);
    if (typeof run_id === 'string' && ENDED.has(status)) this.#ended.add(run_id);
    if (typeof run_id === 'string' && typeof lease === 'string') this.#held.add({ runId: run_id, lease });
    if (typeof worker_id === 'string') this.#workers.add(worker_id);
    if (typeof id === 'string' && died_at !== undefined) this.#letters.add(id);
    if (typeof schedule_id === 'string' && revision !== undefined) this.#schedules.add(schedule_id);
    if (typeof token === 'string') this.#tokens.add({ ...asked, token });
    for (const inner of Object.values(answer)) this.learn(asked, inner);
  }

  /** The thing that a name beginning with @ stands for; the name itself if it is none of ours. */
  named(name: string, pick: number): string {
    switch (name) {
      case '@run':
        return this.#runs.at(pick) ?? UNKNOWN_ID;
      case '@ended':
        return this.#ended.at(pick) ?? UNKNOWN_ID;
      case '@held':
        return this.#held.at(pick)?.runId ?? UNKNOWN_ID;
      case '@lease':
        return this.#held.at(pick)?.lease ?? UNKNOWN_LEASE;
      case '@other-lease':
        return this.#held.at(pick + 1)?.lease ?? UNKNOWN_LEASE;
      case '@worker':
        return this.#workers.at(pick) ?? UNKNOWN_ID;
      case '@letter':
        return this.#letters.at(pick) ?? UNKNOWN_LETTER;
      case '@schedule':
        return this.#schedules.at(pick) ?? UNKNOWN_ID;
      case '@new':
        return newStep(pick);
      default:
        return name;
    }
  }

  /** A page token that a call of this route has answered, with what was asked for. */
  token(path: string, pick: number): PageToken | undefined {
    return this.#tokens.where((known) => known.path === path, pick);
  }
}

/** Callers name their schedules themselves: an id that nobody else asks by. */
const unknownSchedule = (index: number): string => UNKNOWN_ID.slice(0, -12) + `${index + 1}`.padStart(12, '0');

/**
 * For the request of this index: well-formed, and of nothing there is. What needs not be there stays as it is, and so
 * does what is no name of ours.
 */
export function unknownThing(name: string, pick: number, index: number): string {
  switch (name) {
    case '@run':
    case '@ended':
    case '@held':
    case '@worker':
      return UNKNOWN_ID;
    case '@schedule':
      return unknownSchedule(index);
    case '@lease':
    case '@other-lease':
      return UNKNOWN_LEASE;
    case '@letter':
      return UNKNOWN_LETTER;
    case '@new':
      return newStep(pick);
    default:
      return name;
  }
}

class Newest<T> {
  readonly #all: T[] = [];

  constructor(private readonly kept = KEPT) {}

  add(thing: T): void {
    this.#all.push(thing);
    if (this.#all.length > this.kept) this.#all.shift();
  }

  at(pick: number): T | undefined {
    return this.#all[pick % Math.max(1, this.#all.length)];
  }

  where(fits: (thing: T) => boolean, pick: number): T | undefined {
    const fitting = this.#all.filter(fits);
    return fitting[pick % Math.max(1, fitting.length)];
  }
}
