import { simulate } from './simulate.ts';

const from = Number(process.argv[2] ?? 1),
  n = Number(process.argv[3] ?? 1);
const t = performance.now();
for (let seed = from; seed < from + n; seed++) {
  const t0 = performance.now();
  const r = await simulate({
    seed,
    print: process.argv.includes('--print'),
    limits: process.argv.includes('--calm') ? { max: 0 } : {},
  });
  console.log(
    seed,
    r.violations.length ? JSON.stringify(r.violations.slice(0, 2)).slice(0, 1500) : 'ok',
    'faults',
    r.faultCount,
    'runs',
    r.runs,
    'steps',
    r.steps,
    'calls',
    r.calls,
    'h',
    (r.virtualMs / 3.6e6).toFixed(1),
    'ms',
    Math.round(performance.now() - t0),
    r.hash,
  );
  if (process.argv.includes('--print')) console.log(r.trace.join('\n'));
}
console.log('total', Math.round(performance.now() - t));
if (process.argv.includes('--twice')) {
  const a = await simulate({ seed: from, print: true });
  const b = await simulate({ seed: from, print: true });
  const i = a.trace.findIndex((l, k) => l !== b.trace[k]);
  console.log('differs at', i, a.trace.length, b.trace.length);
  console.log(a.trace.slice(i - 3, i + 3).join('\n'));
  console.log('--');
  console.log(b.trace.slice(i - 3, i + 3).join('\n'));
}
