import { describe, it } from 'vitest';
import { DYNAMO_ENGINES } from '../helpers/dynamo-engines.ts';
import { openDynamoTable, openSqliteTable } from '../helpers/table-adapters.ts';
import { describeTableContract } from './table-contract.ts';

describeTableContract('SqliteTable', () => openSqliteTable());
describeTableContract('SqliteTable with lagging indexes', () => openSqliteTable(25));

for (const kind of DYNAMO_ENGINES) {
  if ('unavailable' in kind.launch) {
    const name = `DynamoTable on ${kind.name}: SKIPPED, ${kind.launch.unavailable}`;
    console.warn(name);
    describe.skip(name, () => it('keeps the contract', () => {}));
  } else {
    describeTableContract(`DynamoTable on ${kind.name}`, () => openDynamoTable(kind));
  }
}
