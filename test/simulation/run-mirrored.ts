import { DYNAMO_ENGINES, type EngineKind } from '../helpers/dynamo-engines.ts';
import { openDynamoTable, openSqliteTable } from '../helpers/table-adapters.ts';
import { playMirrored } from './play-mirrored.ts';

const [name = 'sqlite', seeds = '10', from = '1'] = process.argv.slice(2).filter((arg) => !arg.startsWith('--'));
const open = name === 'sqlite' ? () => openSqliteTable() : () => openDynamoTable(DYNAMO_ENGINES[0] as EngineKind);
const report = await playMirrored(open, Number(seeds), Number(from));
process.stdout.write(`${JSON.stringify(report)}\n`);
if (report.violations.length > 0) process.exitCode = 1;
