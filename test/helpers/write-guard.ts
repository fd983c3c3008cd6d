import { isDeepStrictEqual } from 'node:util';
import type { Item } from '../../shared/ports/table.ts';
import { HEAD } from '../../shared/store/keys.ts';

const ENDED = ['COMPLETED', 'FAILED', 'CANCELLED'];
const DECIDED = ['COMPLETED', 'FAILED', 'SLEEPING'];
/** What the end of a run, or the decision of a step, has settled for good. */
const FINAL_OF_RUN = ['st', 'ep', 'out', 'err', 'errx', 'why', 'c2'];
const FINAL_OF_STEP = ['st', 'out', 'err', 'wk', 'c2'];

/** Looks at every write that is applied, whoever makes it: epochs never fall, what is final stays. */
export class WriteGuard {
  readonly wrong: string[] = [];

  constructor(private readonly now: () => number) {}

  see(before: Item | null, after: Item | null): void {
    if (before === null) return;
    if (before.sk === HEAD) this.#seeRun(before, after);
    else if (before.sk.startsWith('step#') && after !== null && DECIDED.includes(before['st'] as string)) {
      this.#requireSame('I2: a decided step', FINAL_OF_STEP, before, after);
    }
  }

  #seeRun(before: Item, after: Item | null): void {
    const expired = typeof before['ttl'] === 'number' && before['ttl'] * 1000 <= this.now();
    if (after === null || after['inc'] !== before['inc']) {
      if (!expired) this.wrong.push(`I9: a run that was ${JSON.stringify(before['st'])} was replaced or removed`);
      return;
    }
    if (ENDED.includes(before['st'] as string)) this.#requireSame('I9: an ended run', FINAL_OF_RUN, before, after);
    if ((after['ep'] as number) < (before['ep'] as number)) this.wrong.push('I4: an epoch fell');
  }

  #requireSame(what: string, names: readonly string[], before: Item, after: Item): void {
    for (const name of names) {
      if (isDeepStrictEqual(before[name], after[name])) continue;
      const change = `${JSON.stringify(before[name])} -> ${JSON.stringify(after[name])}`;
      this.wrong.push(`${what} was changed: ${name}: ${change.slice(0, 200)}`);
    }
  }
}
