import type { SpeedReport } from './measure-all.ts';
import type { Latency, SpeedFigures, Throughput } from './measure-speed.ts';

const ms = (value: number): string => `${value} ms`;

const besideOthers = (runs: string, { stepsPerS, p50Ms }: Throughput & Latency): string =>
  [`W9 beside ${runs} runs`.padEnd(37), `${stepsPerS} steps/s, a run p50 ${ms(p50Ms)}`].join(' ');

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
      ({ clients, stepsPerS }) => `W9 by ${clients} at a time                     ${stepsPerS} steps/s`,
    ),
    ...(w9?.finished ?? []).map((store) => besideOthers(`${store.finished} finished`, store)),
    w9?.waiting && besideOthers(`${w9.waiting.waiting} waiting`, w9.waiting),
  ].filter((line) => line !== undefined);
}

export function speedTable({ machine, limit, http = {}, ...figures }: SpeedReport): string {
  const overHttp = lines(http);
  return [
    `Node ${machine.node}, ${machine.system}, ${machine.cores} × ${machine.cpu}, fsync of 4 KB appended ${ms(machine.fsyncMs)}`,
    '',
    `The limit, a bare loop of the same writes: ${ms(limit.msPerRun)} a run, ${limit.stepsPerS} steps/s`,
    '',
    'In process:',
    ...lines(figures),
    ...(overHttp.length === 0 ? [] : ['', 'Over HTTP:', ...overHttp]),
  ].join('\n');
}
