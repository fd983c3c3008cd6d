import { RemovalPolicy } from 'aws-cdk-lib';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { asFound, explainFinding } from './explain-finding.ts';
import type { Observation } from './observation.ts';

const WILD_REASON =
  'The objects of one bucket, or of namespaces in it, and the schedules of one group: their names are made as runs go.';
const TRACES_REASON = 'Traces belong to no resource.';

export interface FunctionIdentityProps {
  readonly logGroupName: string;
  readonly description: string;
  readonly observation: Observation;
  readonly encryptionKey: IKey | null;
  readonly statements: readonly PolicyStatement[];
}

/** The role of one function, and the log group that it alone writes to. */
export class FunctionIdentity extends Construct {
  readonly role: Role;
  readonly logGroup: LogGroup;

  constructor(scope: Construct, id: string, props: FunctionIdentityProps) {
    super(scope, id);
    this.logGroup = new LogGroup(this, 'Logs', {
      logGroupName: props.logGroupName,
      retention: props.observation.logRetention,
      removalPolicy: RemovalPolicy.DESTROY,
      ...(props.encryptionKey !== null && { encryptionKey: props.encryptionKey }),
    });
    this.role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
      description: props.description,
    });
    const logs = new PolicyStatement({
      actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
      resources: [this.logGroup.logGroupArn],
    });
    for (const statement of [logs, ...props.statements]) this.role.addToPolicy(statement);
    const wild = props.statements.flatMap(({ resources }) => resources).filter((arn) => arn.includes('*'));
    for (const arn of new Set(wild)) {
      explainFinding(this.role, `IAM5[Resource::${asFound(this, arn)}]`, WILD_REASON);
    }
    if (props.observation.tracing) explainFinding(this.role, 'IAM5[Resource::*]', TRACES_REASON);
  }
}
