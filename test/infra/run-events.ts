import { App, Stack } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { Table } from 'aws-cdk-lib/aws-dynamodb';
import { EventBus } from 'aws-cdk-lib/aws-events';
import { describe, expect, it } from 'vitest';
import { EngineStack } from '../../infra/engine-stack.ts';
import { KagziEngine } from '../../infra/kagzi-engine.ts';
import { grantsOf } from './statements.ts';
import { context, environmentOf, named, resources, templateWith } from './synthesised.ts';

describe('events of the ends of runs', () => {
  const template = Template.fromStack(
    new EngineStack(new App({ context }), { ...environmentOf('dev'), eventBus: 'shop' }),
  );
  const isOfStream = Match.stringLikeRegexp('^EngineRunTable');

  it('are not there unless asked for', () => {
    const without = templateWith({});
    expect(JSON.stringify(without.toJSON())).not.toMatch(/events:PutEvents|StreamSpecification/);
  });

  it('come from the stream of the table, which has both images', () => {
    template.hasResourceProperties('AWS::DynamoDB::Table', {
      StreamSpecification: { StreamViewType: 'NEW_AND_OLD_IMAGES' },
    });
    template.hasResourceProperties('AWS::Lambda::EventSourceMapping', {
      EventSourceArn: { 'Fn::GetAtt': [isOfStream, 'StreamArn'] },
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      BisectBatchOnFunctionError: true,
      MaximumRetryAttempts: Match.absent(),
    });
  });

  it('cost no invocation for anything but the end of a run', () => {
    const filtered = resources(template, 'AWS::Lambda::EventSourceMapping').flatMap(({ Properties }) =>
      Properties['FilterCriteria'] === undefined
        ? []
        : [Properties['FilterCriteria'] as { Filters: { Pattern: string }[] }],
    );
    expect(filtered.map(({ Filters }) => Filters.map(({ Pattern }) => JSON.parse(Pattern) as unknown))).toEqual([
      [
        {
          eventName: ['MODIFY'],
          dynamodb: {
            Keys: { sk: { S: ['head'] } },
            OldImage: { st: { S: ['PENDING', 'RUNNING', 'SLEEPING'] } },
            NewImage: { st: { S: ['COMPLETED', 'FAILED', 'CANCELLED'] } },
          },
        },
      ],
    ]);
  });

  it('are sent by a function that may read the stream, put events on that bus and do nothing else', () => {
    expect(grantsOf(template, 'kagzi-dev-run-events')).toEqual({
      logs: ['logs:CreateLogStream', 'logs:PutLogEvents'],
      '*': ['dynamodb:ListStreams', 'xray:PutTelemetryRecords', 'xray:PutTraceSegments'],
      stream: ['dynamodb:DescribeStream', 'dynamodb:GetRecords', 'dynamodb:GetShardIterator'],
      'bus:shop': ['events:PutEvents'],
    });
  });

  it('have an alarm for their age', () => {
    const { Properties } = named(template, 'AWS::CloudWatch::Alarm', 'AlarmName', 'kagzi-dev-run-events-late');
    expect(Properties).toMatchObject({ MetricName: 'IteratorAge', Threshold: 300_000 });
    expect(Properties['AlarmDescription']).toMatch(/#run-events-late$/);
  });

  it('need the stream of a table that was restored', () => {
    const withTable = (tableStreamArn?: string) => {
      const stack = new Stack(new App({ context }), 'own');
      const restoredTable = Table.fromTableAttributes(stack, 'Restored', {
        tableName: 'restored',
        ...(tableStreamArn !== undefined && { tableStreamArn }),
      });
      const eventBus = EventBus.fromEventBusName(stack, 'Bus', 'default');
      return new KagziEngine(stack, 'Engine', { environmentName: 'own', restoredTable, eventBus });
    };
    expect(() => withTable()).toThrow('has no stream');
    const stream = 'arn:aws:dynamodb:eu-west-1:123456789012:table/restored/stream/2026-01-01T00:00:00.000';
    expect(withTable(stream).resources.table.tableName).toBeDefined();
  });
});
