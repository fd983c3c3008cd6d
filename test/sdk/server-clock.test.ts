import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ServerClock } from '../../sdk/worker/server-clock.ts';

/** A worker's clock and its engine's, which go at the same speed and agree in nothing else. */
function clocks(skewMs: number) {
  const elapsed = { ms: 0 };
  const wall = { jumpMs: 0 };
  const server = (): number => 1_900_000_000_000 + elapsed.ms;
  const clock = new ServerClock({
    now: () => server() + skewMs + wall.jumpMs,
    monotonic: () => elapsed.ms,
    sleep: () => Promise.resolve(),
  });
  return {
    clock,
    server,
    passes: (ms: number) => {
      elapsed.ms += ms;
    },
    setWall: (jumpMs: number) => {
      wall.jumpMs = jumpMs;
    },
    /** A call whose request takes so long to get there, and its answer so long to come back. */
    call: (thereMs: number, backMs: number): void => {
      const sentAt = clock.monotonic();
      elapsed.ms += thereMs;
      const told = new Date(server()).toISOString();
      elapsed.ms += backMs;
      clock.hear(told, sentAt);
    },
  };
}

describe('the clock of a worker over HTTP', () => {
  it.each([-600_000, -10_000, 0, 10_000, 600_000])(
    'tells the time of the engine, though its own is off by %i ms',
    (ms) => {
      const { clock, server, call, passes } = clocks(ms);
      call(0, 0);
      expect(clock.now()).toBe(server());
      passes(86_400_000);
      expect(clock.now()).toBe(server());
    },
  );

  it('does not care when its own time is set', () => {
    const { clock, server, call, setWall } = clocks(0);
    call(0, 0);
    setWall(3_600_000);
    expect(clock.now()).toBe(server());
  });

  it('is never ahead of the engine and no further behind than its quickest answer took, whatever the others took', () => {
    const calls = fc.array(fc.record({ there: fc.nat(5_000), back: fc.nat(5_000), pause: fc.nat(100_000) }), {
      minLength: 1,
    });
    fc.assert(
      fc.property(fc.integer({ min: -1e9, max: 1e9 }), calls, (skew, given) => {
        const { clock, server, call, passes } = clocks(skew);
        let quickest = Number.POSITIVE_INFINITY;
        for (const { there, back, pause } of given) {
          call(there, back);
          passes(pause);
          quickest = Math.min(quickest, back);
          expect(clock.now()).toBeLessThanOrEqual(server());
          expect(server() - clock.now()).toBeLessThanOrEqual(quickest);
        }
      }),
      { seed: 9 },
    );
  });

  it('goes back if the engine does', () => {
    const { clock, server, call } = clocks(0);
    clock.hear(new Date(server() + 60_000).toISOString(), clock.monotonic());
    call(20, 30);
    expect(clock.now() - server()).toBeLessThanOrEqual(20);
    expect(clock.now()).toBeGreaterThan(server() - 50);
  });
});
