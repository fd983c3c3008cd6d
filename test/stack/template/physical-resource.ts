import { createHash } from 'node:crypto';
import type { Resource } from './read-stack.ts';

export const ACCOUNT = '000000000000';
export const REGION = 'us-east-1';

/** What a resource is called once it is there. */
export interface Physical {
  /** What `Ref` answers. */
  readonly ref: string;
  readonly attributes: Readonly<Record<string, string>>;
}

const arn = (service: string, rest: string, account = ACCOUNT, region = REGION): string =>
  `arn:aws:${service}:${region}:${account}:${rest}`;

type Naming = (name: string) => Physical;

/** By type: from the name that was given, or else made up, to its identifiers. */
const NAMINGS: Readonly<Record<string, { readonly nameIn?: string; readonly physical: Naming }>> = {
  'AWS::DynamoDB::Table': {
    nameIn: 'TableName',
    physical: (name) => ({
      ref: name,
      attributes: {
        Arn: arn('dynamodb', `table/${name}`),
        StreamArn: arn('dynamodb', `table/${name}/stream/2026-01-01T00:00:00.000`),
      },
    }),
  },
  'AWS::SQS::Queue': {
    nameIn: 'QueueName',
    physical: (name) => ({ ref: queueUrl(name), attributes: { Arn: arn('sqs', name), QueueName: name } }),
  },
  'AWS::S3::Bucket': {
    nameIn: 'BucketName',
    physical: (name) => ({ ref: name.toLowerCase(), attributes: { Arn: `arn:aws:s3:::${name.toLowerCase()}` } }),
  },
  'AWS::Lambda::Function': {
    nameIn: 'FunctionName',
    physical: (name) => ({ ref: name, attributes: { Arn: arn('lambda', `function:${name}`) } }),
  },
  'AWS::IAM::Role': {
    nameIn: 'RoleName',
    physical: (name) => ({ ref: name, attributes: { Arn: arn('iam', `role/${name}`, ACCOUNT, '') } }),
  },
  'AWS::IAM::ManagedPolicy': {
    nameIn: 'ManagedPolicyName',
    physical: (name) => ({ ref: arn('iam', `policy/${name}`, ACCOUNT, ''), attributes: {} }),
  },
  'AWS::Scheduler::ScheduleGroup': {
    nameIn: 'Name',
    physical: (name) => ({ ref: name, attributes: { Arn: arn('scheduler', `schedule-group/${name}`) } }),
  },
  'AWS::Scheduler::Schedule': {
    nameIn: 'Name',
    physical: (name) => ({ ref: name, attributes: { Arn: arn('scheduler', `schedule/default/${name}`) } }),
  },
  'AWS::Events::Rule': {
    nameIn: 'Name',
    physical: (name) => ({ ref: name, attributes: { Arn: arn('events', `rule/${name}`) } }),
  },
  'AWS::Events::EventBus': {
    nameIn: 'Name',
    physical: (name) => ({ ref: name, attributes: { Arn: arn('events', `event-bus/${name}`), Name: name } }),
  },
  'AWS::KMS::Key': { physical: (id) => ({ ref: id, attributes: { Arn: arn('kms', `key/${id}`), KeyId: id } }) },
  'AWS::Logs::LogGroup': {
    nameIn: 'LogGroupName',
    physical: (name) => ({ ref: name, attributes: { Arn: arn('logs', `log-group:${name}:*`) } }),
  },
  'AWS::SNS::Topic': {
    nameIn: 'TopicName',
    physical: (name) => ({ ref: arn('sns', name), attributes: { TopicArn: arn('sns', name), TopicName: name } }),
  },
  'AWS::ApiGatewayV2::Api': {
    physical: (id) => ({
      ref: id,
      attributes: { ApiId: id, ApiEndpoint: `https://${id}.execute-api.${REGION}.amazonaws.com` },
    }),
  },
  'AWS::ApiGatewayV2::Stage': { nameIn: 'StageName', physical: (name) => ({ ref: name, attributes: {} }) },
  'AWS::CloudWatch::Alarm': {
    nameIn: 'AlarmName',
    physical: (name) => ({ ref: name, attributes: { Arn: arn('cloudwatch', `alarm:${name}`) } }),
  },
};

export const queueUrl = (name: string): string => `https://sqs.${REGION}.amazonaws.com/${ACCOUNT}/${name}`;

/** What CloudFormation would give it; of types that are not listed, a name that only differs from others. */
export function physicalResource(
  stack: string,
  logicalId: string,
  { Type, Properties }: Resource,
  resolve: (value: unknown) => unknown,
): Physical {
  const naming = NAMINGS[Type];
  const given = naming?.nameIn === undefined ? undefined : resolve(Properties[naming.nameIn]);
  const unique = createHash('sha256').update(`${stack}/${logicalId}`).digest('hex').slice(0, 10);
  const name = typeof given === 'string' ? given : `${stack}-${logicalId}`.slice(0, 40).concat(unique).toLowerCase();
  return naming === undefined ? { ref: name, attributes: {} } : naming.physical(name);
}
