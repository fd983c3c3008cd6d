import { RemovalPolicy, Stack } from 'aws-cdk-lib';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { type IKey, Key } from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';
import type { TableEncryptionKind } from './run-table.ts';

/** `customer-managed` is a key of the stack's own, for the table, the bucket, the queues and the logs. */
export type EncryptionKind = TableEncryptionKind | 'customer-managed';

export interface DataKeyProps {
  readonly environmentName: string;
  readonly encryption: EncryptionKind;
  /** In place of one made here. */
  readonly given?: IKey | undefined;
  readonly keepDataOnDelete: boolean;
}

/** The customer's key, if there is to be one. Its policy lets CloudWatch use it for the log groups of this engine. */
export function dataKey(scope: Construct, props: DataKeyProps): IKey | undefined {
  const key = props.given ?? (props.encryption === 'customer-managed' ? makeKey(scope, props) : undefined);
  // Does nothing for a key that was imported: whoever has its policy must say so there.
  key?.addToResourcePolicy(logsMayUse(scope, props.environmentName));
  return key;
}

const makeKey = (scope: Construct, { environmentName, keepDataOnDelete }: DataKeyProps): Key =>
  new Key(scope, 'Key', {
    description: `Data of kagzi-${environmentName}`,
    enableKeyRotation: true,
    // What it encrypted can be read with it only.
    removalPolicy: keepDataOnDelete ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
  });

function logsMayUse(scope: Construct, environmentName: string): PolicyStatement {
  const { region, account, partition, urlSuffix } = Stack.of(scope);
  const groups = `arn:${partition}:logs:${region}:${account}:log-group:/aws/*/kagzi-${environmentName}*`;
  return new PolicyStatement({
    principals: [new ServicePrincipal(`logs.${region}.${urlSuffix}`)],
    actions: ['kms:Encrypt', 'kms:Decrypt', 'kms:ReEncrypt*', 'kms:GenerateDataKey*', 'kms:Describe*'],
    resources: ['*'],
    conditions: { ArnLike: { 'kms:EncryptionContext:aws:logs:arn': groups } },
  });
}
