import { RemovalPolicy } from 'aws-cdk-lib';
import { AttributeType, BillingMode, ProjectionType, Table, TableEncryption } from 'aws-cdk-lib/aws-dynamodb';
import { Construct } from 'constructs';
import { INDEXES, TTL_ATTRIBUTE } from '../shared/ports/table.ts';
import type { Environment } from './environments.ts';

const ENCRYPTION = {
  'aws-owned': TableEncryption.DEFAULT,
  'aws-managed': TableEncryption.AWS_MANAGED,
} as const satisfies Record<Environment['encryption'], TableEncryption>;

const text = (name: string) => ({ name, type: AttributeType.STRING });

/** The one table: heads, steps, workers and schedules, with the due and list indexes. */
export class RunTable extends Construct {
  readonly table: Table;

  constructor(scope: Construct, id: string, environment: Environment) {
    super(scope, id);
    this.table = new Table(this, 'Table', {
      partitionKey: text('pk'),
      sortKey: text('sk'),
      billingMode: BillingMode.PAY_PER_REQUEST,
      timeToLiveAttribute: TTL_ATTRIBUTE,
      encryption: ENCRYPTION[environment.encryption],
      pointInTimeRecoverySpecification: {
        pointInTimeRecoveryEnabled: true,
        recoveryPeriodInDays: environment.recoveryDays,
      },
      deletionProtection: environment.deletionProtection,
      removalPolicy: environment.keepDataOnDelete ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
    for (const [indexName, { hash, range }] of Object.entries(INDEXES)) {
      this.table.addGlobalSecondaryIndex({
        indexName,
        partitionKey: text(hash),
        sortKey: text(range),
        projectionType: ProjectionType.KEYS_ONLY,
      });
    }
  }
}
