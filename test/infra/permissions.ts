import { describe, expect, it } from 'vitest';
import { actionsOf, allStatements, grantsOf, statementsOf } from './statements.ts';
import { ENVIRONMENTS, flat, named, resources, templateOf } from './synthesised.ts';

const LOGS = ['logs:CreateLogStream', 'logs:PutLogEvents'];
const TRACES = ['xray:PutTelemetryRecords', 'xray:PutTraceSegments'];
const TRIGGER = ['sqs:DeleteMessage', 'sqs:GetQueueAttributes', 'sqs:ReceiveMessage'];
const SCHEDULES = ['scheduler:CreateSchedule', 'scheduler:DeleteSchedule', 'scheduler:UpdateSchedule'];
const EVERY_ITEM = [
  'dynamodb:BatchGetItem',
  'dynamodb:BatchWriteItem',
  'dynamodb:DeleteItem',
  'dynamodb:GetItem',
  'dynamodb:PutItem',
  'dynamodb:Query',
  'dynamodb:UpdateItem',
];
const COMMON = { logs: LOGS, '*': TRACES };
const ARMS = { 'schedules:kagzi-dev/*': SCHEDULES, 'timers-role': ['iam:PassRole'] };

/** Everything each function may do. A grant that is not here is a defect, and so is one here that is not granted. */
const GOLDEN = {
  api: {
    ...COMMON,
    ...ARMS,
    table: EVERY_ITEM,
    'table/index/list': ['dynamodb:Query'],
    bucket: ['s3:ListBucket'],
    'bucket/*': ['s3:DeleteObject', 's3:GetObject', 's3:PutObject'],
    tasks: ['sqs:ChangeMessageVisibility', ...TRIGGER, 'sqs:SendMessage'],
    control: ['sqs:SendMessage'],
  },
  'worker-examples': {
    ...COMMON,
    ...ARMS,
    table: EVERY_ITEM.filter((action) => action !== 'dynamodb:DeleteItem'),
    bucket: ['s3:ListBucket'],
    'bucket/*': ['s3:GetObject', 's3:PutObject'],
    tasks: [...TRIGGER, 'sqs:SendMessage'],
    control: ['sqs:SendMessage'],
  },
  wake: {
    ...COMMON,
    ...ARMS,
    table: EVERY_ITEM,
    'table/index/due': ['dynamodb:Query'],
    bucket: ['s3:ListBucket'],
    'bucket/*': ['s3:DeleteObject', 's3:PutObject'],
    tasks: ['sqs:SendMessage'],
    control: [...TRIGGER, 'sqs:SendMessage'],
  },
  watchdog: {
    ...COMMON,
    ...ARMS,
    table: EVERY_ITEM,
    'table/index/due': ['dynamodb:Query'],
    bucket: ['s3:ListBucket'],
    'bucket/*': ['s3:DeleteObject', 's3:PutObject'],
    tasks: ['sqs:SendMessage'],
    control: ['sqs:SendMessage'],
  },
  'dead-letters': { ...COMMON, table: ['dynamodb:PutItem'], 'tasks-dead': TRIGGER, 'control-dead': TRIGGER },
} as const;

describe('the role of', () => {
  it.each(Object.entries(GOLDEN))('%s allows exactly what it needs', (name, grants) => {
    expect(grantsOf(templateOf('dev'), `kagzi-dev-${name}`)).toEqual(grants);
  });

  it('every function is its own', () => {
    const functions = resources(templateOf('dev'), 'AWS::Lambda::Function');
    expect(functions).toHaveLength(Object.keys(GOLDEN).length);
    expect(new Set(functions.map(({ Properties }) => flat(Properties['Role']))).size).toBe(functions.length);
  });
});

describe.each(ENVIRONMENTS)('no role of %s', (name) => {
  const template = templateOf(name);

  it('allows a wildcard of actions', () => {
    expect(
      allStatements(template)
        .flatMap(actionsOf)
        .filter((action) => action.includes('*')),
    ).toEqual([]);
  });

  it('denies or has a policy that AWS manages', () => {
    expect(allStatements(template).filter(({ Effect }) => Effect !== 'Allow')).toEqual([]);
    const managed = resources(template, 'AWS::IAM::Role').map(({ Properties }) => Properties['ManagedPolicyArns']);
    expect(managed.filter((arns) => arns !== undefined)).toEqual([]);
  });
});

describe('the role of schedules', () => {
  const template = templateOf('dev');
  const role = resources(template, 'AWS::IAM::Role').find(({ Properties }) =>
    JSON.stringify(Properties['AssumeRolePolicyDocument']).includes('scheduler.amazonaws.com'),
  );

  it("is for the Scheduler, in this account, and for the engine's group alone", () => {
    const groups = Object.keys(template.findResources('AWS::Scheduler::ScheduleGroup'));
    expect(groups).toHaveLength(1);
    expect(role?.Properties['AssumeRolePolicyDocument']).toHaveProperty('Statement', [
      {
        Action: 'sts:AssumeRole',
        Effect: 'Allow',
        Principal: { Service: 'scheduler.amazonaws.com' },
        Condition: {
          StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } },
          ArnEquals: { 'aws:SourceArn': { 'Fn::GetAtt': [groups[0], 'Arn'] } },
        },
      },
    ]);
  });

  it('may send to the control queue and do nothing else', () => {
    const policies = resources(template, 'AWS::IAM::Policy').filter(({ Properties }) =>
      JSON.stringify(Properties['Roles']).includes('TimersRole'),
    );
    expect(policies.map(({ Properties }) => Properties['PolicyDocument'])).toMatchObject([
      { Statement: [{ Action: 'sqs:SendMessage', Effect: 'Allow' }] },
    ]);
  });

  it('can be handed to the Scheduler and to no other service', () => {
    const passes = Object.keys(GOLDEN)
      .flatMap((name) => statementsOf(template, `kagzi-dev-${name}`))
      .filter((statement) => actionsOf(statement).includes('iam:PassRole'));
    expect(passes).toHaveLength(4);
    for (const { Condition } of passes) {
      expect(Condition).toEqual({ StringEquals: { 'iam:PassedToService': 'scheduler.amazonaws.com' } });
    }
  });

  it('belongs to the group the functions are told', () => {
    const group = named(template, 'AWS::Scheduler::ScheduleGroup', 'Name', 'kagzi-dev');
    expect(group.Properties['Name']).toBe('kagzi-dev');
  });
});
