import { DYNAMO_ENGINES } from '../helpers/dynamo-engines.ts';
import { skipLoudly } from '../helpers/skip-loudly.ts';
import { openDynamoTable, openSqliteTable } from '../helpers/table-adapters.ts';
import { describeTableContract } from './table-contract.ts';

describeTableContract('SqliteTable', () => openSqliteTable());
describeTableContract('SqliteTable with lagging indexes', () => openSqliteTable(25));

for (const kind of DYNAMO_ENGINES) {
  if ('unavailable' in kind.launch) {
    skipLoudly(`DynamoTable on ${kind.name}`, kind.launch.unavailable);
  } else {
    describeTableContract(`DynamoTable on ${kind.name}`, () => openDynamoTable(kind));
  }
}
