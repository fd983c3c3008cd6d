import { decodeRunMessage } from '../../../shared/store/dispatch.ts';

/** The watchdog waits longer every time before it sends for the same run again, and never less than half a minute. */
const WINDOW_MS = 20_000;
const MANY = 8;

/** I17. However long a run waits, it is not offered over and over. */
export class Storms {
  readonly #sent = new Map<string, number[]>();

  constructor(
    private readonly now: () => number,
    private readonly violate: (message: string) => void,
  ) {}

  sends(who: string, messages: readonly { readonly body: string }[]): void {
    for (const { body } of messages) {
      const run = decodeRunMessage(body)?.runId;
      if (run === undefined) continue;
      const now = this.now();
      const recent = [...(this.#sent.get(run) ?? []).filter((at) => at > now - WINDOW_MS), now];
      this.#sent.set(run, recent);
      if (recent.length === MANY)
        this.violate(`${who} is one of those who offer ${run} ${MANY} times in ${WINDOW_MS} ms`);
    }
  }
}
