import { exhaust } from './exhaustive.ts';

const r = await exhaust(Number(process.argv[2]), Number(process.argv[3]));
console.log(JSON.stringify({ ...r, violations: r.violations.length }));
for (const v of r.violations.slice(0, 12)) console.log(v.invariant, v.play, '|', v.message.slice(0, 250));
