import { DYNAMO_ENGINES } from '../helpers/dynamo-engines.ts';
import { openDynamoTable, openSqliteTable } from '../helpers/table-adapters.ts';
import { playMirrored } from './differential.ts';

console.time('sqlite');
console.log(JSON.stringify(await playMirrored(() => openSqliteTable(), 5, 101)).slice(0, 1500));
console.timeEnd('sqlite');
console.time('dyn');
console.log(JSON.stringify(await playMirrored(() => openDynamoTable(DYNAMO_ENGINES[0]!), 3, 103)).slice(0, 1500));
console.timeEnd('dyn');
