import type { Clock } from '../ports/clock.ts';
import type { Ids } from '../ports/ids.ts';
import { PortError } from '../ports/port-error.ts';
import { classifySdkError } from './sdk-errors.ts';

const MAX_ATTEMPTS = 6;
const BASE_MS = 25;
const CAP_MS = 1_000;

/** Sends again what was throttled or lost, with full jitter, and says honestly what became of it in the end. */
export class AwsRetry {
  readonly #clock: Clock;
  readonly #ids: Ids;

  constructor(clock: Clock, ids: Ids) {
    this.#clock = clock;
    this.#ids = ids;
  }

  /** `resendLost`: sending it twice does no more than sending it once, so an unanswered request may go out again. */
  async send<T>(request: () => Promise<T>, resendLost = true): Promise<T> {
    let lost = false;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await request();
      } catch (error) {
        if (error instanceof PortError) throw error;
        const { failure, again } = classifySdkError(error);
        lost ||= failure === 'unknown';
        if (!again || attempt >= MAX_ATTEMPTS || (lost && !resendLost)) {
          // A refusal now says nothing about an earlier request of ours that was never answered.
          const outcome = lost && failure !== 'invalid' ? 'unknown' : failure;
          throw new PortError(outcome, error instanceof Error ? `${error.name}: ${error.message}` : String(error), {
            cause: error,
          });
        }
        await this.pause(attempt);
      }
    }
  }

  /** For batches: sends the rest again until nothing is left, giving up after attempts that got nothing done. */
  async drain<T>(work: readonly T[], request: (work: readonly T[]) => Promise<readonly T[]>): Promise<void> {
    let rest = work;
    for (let attempt = 1; rest.length > 0; ) {
      const left = await this.send(() => request(rest));
      attempt = left.length < rest.length ? 1 : attempt + 1;
      if (attempt > MAX_ATTEMPTS)
        throw new PortError('unavailable', `${left.length} items of a batch were left undone`);
      rest = left;
      if (rest.length > 0) await this.pause(attempt);
    }
  }

  private pause(attempt: number): Promise<void> {
    return this.#clock.sleep(this.#ids.random() * Math.min(CAP_MS, BASE_MS * 2 ** attempt));
  }
}
