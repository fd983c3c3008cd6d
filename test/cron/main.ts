import { compareZone } from './compare-zone.ts';
import { ZONES } from './zones.ts';

const [years = 10, expressions = 3, seed = 1] = process.argv.slice(2).map(Number);
const from = Date.UTC(2025, 0, 1);
const to = Date.UTC(2025 + years, 0, 1);
let differences = 0;
let fires = 0;
for (const [n, zone] of ZONES.entries()) {
  const found = compareZone(zone, { from, to, expressions, seed: seed * 1000 + n });
  console.log(`${zone}: ${found.expressions} expressions, ${found.changes} changes of clocks, ${found.fires} fires`);
  for (const difference of found.differences) console.log(`  DIFFERS ${difference}`);
  differences += found.differences.length;
  fires += found.fires;
}
console.log(`${ZONES.length} zones, ${years} years from 2025, ${fires} fires compared, ${differences} differences`);
process.exitCode = differences === 0 ? 0 : 1;
