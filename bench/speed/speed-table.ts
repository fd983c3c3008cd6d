import type { SpeedReport } from './measure-all.ts';
import type { SpeedFigures } from './measure-speed.ts';

const ms = (value: number): string => `${value} ms`;

/** One line for each workload that was measured. */
function lines(figures: SpeedFigures): string[] {
  const { w1, w2, w3, w4, w5, w6, w7, w8, w9 } = figures;
  return [
    w1 && `W1 ten steps, one run at a time       p50 ${ms(w1.p50Ms)}, p99 ${ms(w1.p99Ms)}`,
    w2 && `W2 500 runs at once                   ${w2.runsPerS} runs/s, ${w2.stepsPerS} steps/s`,
    w3 && `W3 start to first body                p50 ${ms(w3.p50Ms)}, p99 ${ms(w3.p99Ms)}`,
    w4 && `W4 ten steps side by side             p50 ${ms(w4.p50Ms)}, p99 ${ms(w4.p99Ms)}`,
    w5 && `W5 resumed after kill -9              ${ms(w5.resumedMs)}, ${w5.reExecuted} completed steps executed again`,
    w6 && `W6 a sleep of 2 s                     p50 ${ms(w6.p50LateMs)} late, at most ${ms(w6.maxLateMs)}`,
    w7 &&
      `W7 ${w7.steps} steps in one run            first 100 ${ms(w7.firstMs)}, last 100 ${ms(w7.lastMs)} (× ${w7.lastOverFirst})`,
    w8 && `W8 memory after ${w8.runs} runs             ${w8.rssMb} MB`,
    ...(w9?.clients ?? []).map(
      ({ clients, stepsPerS }) => `W9 ${clients} clients                          ${stepsPerS} steps/s`,
    ),
    ...(w9?.finished ?? []).map(
      ({ finished, stepsPerS, p50Ms }) =>
        `W9 ${finished} finished runs           ${stepsPerS} steps/s, a run p50 ${ms(p50Ms)}`,
    ),
    w9?.waiting &&
      `W9 ${w9.waiting.waiting} waiting runs            ${w9.waiting.stepsPerS} steps/s, a run p50 ${ms(w9.waiting.p50Ms)}`,
  ].filter((line) => line !== undefined);
}

export const speedTable = ({ machine, limit, http, ...figures }: SpeedReport): string =>
  [
    `Node ${machine.node}, ${machine.system}, ${machine.cores} × ${machine.cpu}, fsync ${ms(machine.fsyncMs)}`,
    '',
    `The limit, a bare loop of the same writes: ${ms(limit.msPerRun)} a run, ${limit.stepsPerS} steps/s`,
    '',
    'In process:',
    ...lines(figures),
    ...(http === undefined ? [] : ['', 'Over HTTP:', ...lines(http)]),
  ].join('\n');
