import { RemovalPolicy } from 'aws-cdk-lib';
import {
  AttributeType,
  BillingMode,
  type ITable,
  ProjectionType,
  StreamViewType,
  Table,
  TableEncryption,
} from 'aws-cdk-lib/aws-dynamodb';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import { INDEXES, TTL_ATTRIBUTE } from '../shared/ports/table.ts';
import type { Observation } from './observation.ts';
import { tableThrottles } from './table-metrics.ts';

const ENCRYPTION = {
  'aws-owned': TableEncryption.DEFAULT,
  'aws-managed': TableEncryption.AWS_MANAGED,
} as const;
/** Both are encrypted at rest; `aws-managed` adds an audit trail of the key's use, at the price of KMS calls. */
export type TableEncryptionKind = keyof typeof ENCRYPTION;

/** What a restored table has, too: the stream, if it was switched on again. */
export type TableHandle = Pick<ITable, 'tableName' | 'tableArn'> & { readonly tableStreamArn?: string | undefined };

export interface RunTableProps {
  /** In place of a new one. */
  readonly restored?: TableHandle | undefined;
  readonly deletionProtection: boolean;
  /** Whether the table outlives its stack. */
  readonly keepDataOnDelete: boolean;
  /** How far back point-in-time recovery reaches. */
  readonly recoveryDays: number;
  readonly encryption: TableEncryptionKind;
  readonly encryptionKey?: IKey | undefined;
  /** Whether its changes can be read as a stream. */
  readonly streams: boolean;
  readonly observation: Observation;
}

const text = (name: string) => ({ name, type: AttributeType.STRING });

/** The one table: heads, steps, workers and schedules, with the due and list indexes. */
export class RunTable extends Construct {
  readonly table: TableHandle;

  constructor(scope: Construct, id: string, props: RunTableProps) {
    super(scope, id);
    this.table = props.restored ?? this.#create(props);
    props.observation.alarm(this, 'table-throttled', {
      metric: tableThrottles(this.table.tableName),
      threshold: 1,
      periods: 3,
      summary: 'The table or one of its indexes refuses requests: a partition is hot, or the account is at its limit.',
      section: 'table-throttled',
    });
  }

  #create(props: RunTableProps): Table {
    const table = new Table(this, 'Table', {
      partitionKey: text('pk'),
      sortKey: text('sk'),
      billingMode: BillingMode.PAY_PER_REQUEST,
      timeToLiveAttribute: TTL_ATTRIBUTE,
      pointInTimeRecoverySpecification: {
        pointInTimeRecoveryEnabled: true,
        recoveryPeriodInDays: props.recoveryDays,
      },
      deletionProtection: props.deletionProtection,
      ...(props.streams && { stream: StreamViewType.NEW_AND_OLD_IMAGES }),
      removalPolicy: props.keepDataOnDelete ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
      ...(props.encryptionKey === undefined
        ? { encryption: ENCRYPTION[props.encryption] }
        : { encryption: TableEncryption.CUSTOMER_MANAGED, encryptionKey: props.encryptionKey }),
    });
    for (const [indexName, { hash, range }] of Object.entries(INDEXES)) {
      table.addGlobalSecondaryIndex({
        indexName,
        partitionKey: text(hash),
        sortKey: text(range),
        projectionType: ProjectionType.KEYS_ONLY,
      });
    }
    return table;
  }
}
