import { CfnOutput, Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { Environment } from './environments.ts';
import { RunTable } from './run-table.ts';

const placeOf = ({ account, region }: Environment) => ({
  ...(account === undefined ? {} : { account }),
  ...(region === undefined ? {} : { region }),
});

/** Only the table so far: queues, timers, blobs and functions come with the cloud deployment. */
export class EngineStack extends Stack {
  constructor(scope: Construct, environment: Environment) {
    super(scope, `kagzi-${environment.name}`, {
      env: placeOf(environment),
      description: `Kagzi workflow engine (${environment.name})`,
      terminationProtection: environment.deletionProtection,
    });
    const runTable = new RunTable(this, 'RunTable', environment);
    new CfnOutput(this, 'TableName', { value: runTable.table.tableName });
  }
}
