import { expect, it } from 'vitest';
import { ChangeSignals } from '../../local/change-signals.ts';
import { ManualClock } from '../helpers/manual-clock.ts';

it('waits for a change no longer when the wall clock is set back', async () => {
  let setBack = 0;
  class WallClock extends ManualClock {
    override now(): number {
      return super.now() - setBack;
    }
  }
  const clock = new WallClock();
  let ended = false;
  const waiting = new ChangeSignals(clock).wait({ pk: 'p', sk: 's' }, 20_000).then(() => (ended = true));
  setBack = 3_600_000;
  await clock.advance(20_000);
  expect(ended).toBe(true);
  await waiting;
});
