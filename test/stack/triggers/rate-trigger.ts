import { type LambdaFunction, ThrottledError } from '../lambda/lambda-function.ts';

export interface RateTriggerParts {
  readonly target: LambdaFunction;
  readonly everyMs: number;
  readonly input: unknown;
  /** For how long it is tried again when it is throttled. */
  readonly maxAgeMs: number;
}

const RETRY_MS = 1_000;

/** A rule of EventBridge with a rate: starts its function and does not wait for it. What was missed is not made up for. */
export class RateTrigger {
  #timer: NodeJS.Timeout | null = null;
  readonly #running = new Set<Promise<void>>();

  constructor(private readonly parts: RateTriggerParts) {}

  start(): void {
    this.#fire();
    this.#timer = setInterval(() => this.#fire(), this.parts.everyMs);
  }

  stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }

  #fire(): void {
    const running = this.#invoke(Date.now() + this.parts.maxAgeMs).finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  async #invoke(until: number): Promise<void> {
    try {
      await this.parts.target.invoke(this.parts.input);
    } catch (error) {
      if (!(error instanceof ThrottledError) || Date.now() > until || this.#timer === null) return;
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      await this.#invoke(until);
    }
  }
}
