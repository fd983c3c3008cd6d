import { readFileSync } from 'node:fs';
import type { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { METRIC_NAMESPACE } from '../../functions/metric-place.ts';
import { readEnvironment } from '../../functions/read-environment.ts';
import { METRICS } from '../../shared/ports/telemetry.ts';
import { ENVIRONMENTS, environmentOf, flat, type Resource, resources, templateOf } from './synthesised.ts';

const DENIES_PLAIN_HTTP = { Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } };
const text = (value: unknown): string => JSON.stringify(value);

describe.each(ENVIRONMENTS)('in %s', (name) => {
  const template = templateOf(name);
  const environment = environmentOf(name);
  const all = (type: string): readonly Resource[] => resources(template, type);
  const idsOf = (type: string): string[] => Object.keys(template.findResources(type));
  const queueNamed = (queueName: unknown) =>
    all('AWS::SQS::Queue').find((queue) => queue.Properties['QueueName'] === queueName);
  const isDead = ({ Properties }: Resource): boolean => String(Properties['QueueName']).endsWith('-dead');

  describe('every queue', () => {
    it('that is not one has a dead-letter queue of its own, named after it', () => {
      for (const queue of all('AWS::SQS::Queue').filter((each) => !isDead(each))) {
        const { deadLetterTargetArn, maxReceiveCount } = queue.Properties['RedrivePolicy'] as Record<string, unknown>;
        const [id = ''] = (deadLetterTargetArn as { 'Fn::GetAtt': string[] })['Fn::GetAtt'];
        const dead = template.findResources('AWS::SQS::Queue')[id] as unknown as Resource;
        expect(dead.Properties['QueueName']).toBe(`${String(queue.Properties['QueueName'])}-dead`);
        expect(dead.Properties['MessageRetentionPeriod']).toBe(14 * 86_400);
        expect(maxReceiveCount).toBe(5);
      }
    });

    it('is encrypted, and for TLS only', () => {
      const policies = all('AWS::SQS::QueuePolicy').map(({ Properties }) => Properties);
      for (const id of idsOf('AWS::SQS::Queue')) {
        expect(template.findResources('AWS::SQS::Queue')[id]?.['Properties']).toMatchObject({
          SqsManagedSseEnabled: true,
        });
        const policy = policies.find(({ Queues }) => text(Queues).includes(`"${id}"`));
        expect(policy?.['PolicyDocument']).toMatchObject({ Statement: [DENIES_PLAIN_HTTP] });
      }
    });

    it('has an alarm: its age, or that it is not empty', () => {
      const watched = (metric: string): string =>
        text(all('AWS::CloudWatch::Alarm').filter(({ Properties }) => Properties['MetricName'] === metric));
      for (const [id, queue] of Object.entries(template.findResources('AWS::SQS::Queue'))) {
        const metric = isDead(queue as unknown as Resource)
          ? 'ApproximateNumberOfMessagesVisible'
          : 'ApproximateAgeOfOldestMessage';
        expect(watched(metric)).toContain(`"${id}"`);
      }
    });

    it('hides a message for at least six times as long as its function runs', () => {
      const mappings = all('AWS::Lambda::EventSourceMapping');
      expect(mappings.length).toBeGreaterThanOrEqual(3);
      for (const { Properties } of mappings) {
        const queue = template.findResources('AWS::SQS::Queue')[idIn(Properties['EventSourceArn'])];
        const reader = template.findResources('AWS::Lambda::Function')[idIn(Properties['FunctionName'])];
        const visibility = queue?.['Properties'].VisibilityTimeout as number;
        expect(visibility).toBeGreaterThanOrEqual(6 * (reader?.['Properties'].Timeout as number));
      }
    });

    it('is served with partial failures and a maximum of concurrency', () => {
      for (const { Properties } of all('AWS::Lambda::EventSourceMapping')) {
        expect(Properties['FunctionResponseTypes']).toEqual(['ReportBatchItemFailures']);
        expect(Properties['ScalingConfig']).toMatchObject({ MaximumConcurrency: expect.any(Number) });
      }
    });
  });

  it('the declared task queues exist, and no others', () => {
    const declared = Object.keys(environment.taskQueues).map((queue) => `kagzi-${name}-tasks-${queue}`);
    const names = [...declared, `kagzi-${name}-control`].flatMap((queue) => [queue, `${queue}-dead`]);
    expect(
      all('AWS::SQS::Queue')
        .map(({ Properties }) => String(Properties['QueueName']))
        .sort(),
    ).toEqual(names.sort());
    for (const queue of names) expect(queueNamed(queue)).toBeDefined();
  });

  describe('every function', () => {
    const functions = all('AWS::Lambda::Function');

    it('runs on Node 24, arm64, and traces', () => {
      for (const { Properties } of functions) {
        expect(Properties).toMatchObject({
          Runtime: 'nodejs24.x',
          Architectures: ['arm64'],
          Handler: 'index.handler',
          TracingConfig: { Mode: 'Active' },
        });
      }
    });

    it('gets an environment that it can start with', () => {
      for (const { Properties } of functions) {
        const { Variables } = Properties['Environment'] as { Variables: Record<string, unknown> };
        const values = Object.entries(Variables).map(
          ([variable, value]) => [variable, resolved(template, flat(value))] as const,
        );
        const read = readEnvironment(Object.fromEntries(values));
        expect(read.name).toBe(name);
        expect(read.queueUrls.get('default')).toBe(
          `https://sqs.eu-west-1.amazonaws.com/123456789012/kagzi-${name}-tasks-default`,
        );
      }
    });

    it('writes to a log group of its own that forgets', () => {
      const groups = template.findResources('AWS::Logs::LogGroup');
      const used = functions.map(({ Properties }) =>
        idIn((Properties['LoggingConfig'] as { LogGroup: unknown }).LogGroup),
      );
      expect(new Set(used).size).toBe(functions.length);
      for (const id of used) expect(groups[id]).toBeDefined();
      for (const group of Object.values(groups)) {
        expect(group['Properties'].RetentionInDays).toBe(environment.logRetention);
      }
    });

    it('has an alarm for errors and one for throttles', () => {
      for (const metric of ['Errors', 'Throttles']) {
        const watched = text(
          all('AWS::CloudWatch::Alarm').filter(({ Properties }) => Properties['MetricName'] === metric),
        );
        for (const id of idsOf('AWS::Lambda::Function')) expect(watched).toContain(`"${id}"`);
      }
    });

    it('keeps as much concurrency as is declared', () => {
      const reserved = Object.fromEntries(
        functions.flatMap(({ Properties }) =>
          Properties['ReservedConcurrentExecutions'] === undefined
            ? []
            : [
                [
                  String(Properties['FunctionName']).replace(`kagzi-${name}-`, ''),
                  Properties['ReservedConcurrentExecutions'],
                ],
              ],
        ),
      );
      expect(reserved).toEqual(environment.reservedConcurrency);
    });
  });

  it('the watchdog is started each minute, never twice for one minute', () => {
    const [rule] = all('AWS::Events::Rule');
    expect(rule?.Properties).toMatchObject({ ScheduleExpression: 'rate(1 minute)', State: 'ENABLED' });
    expect(rule?.Properties['Targets']).toMatchObject([{ RetryPolicy: { MaximumRetryAttempts: 0 } }]);
    expect(all('AWS::Lambda::EventInvokeConfig')[0]?.Properties).toMatchObject({ MaximumRetryAttempts: 0 });
  });

  it('the bucket is private, encrypted, versioned and for TLS only', () => {
    const [bucket] = all('AWS::S3::Bucket');
    expect(bucket?.Properties).toMatchObject({
      PublicAccessBlockConfiguration: {
        BlockPublicAcls: true,
        BlockPublicPolicy: true,
        IgnorePublicAcls: true,
        RestrictPublicBuckets: true,
      },
      OwnershipControls: { Rules: [{ ObjectOwnership: 'BucketOwnerEnforced' }] },
      VersioningConfiguration: { Status: 'Enabled' },
    });
    expect(text(bucket?.Properties['BucketEncryption'])).toContain('AES256');
    expect(text(bucket?.Properties['LifecycleConfiguration'])).toContain(
      `"NoncurrentDays":${environment.recoveryDays}`,
    );
    expect(bucket?.DeletionPolicy).toBe(environment.keepDataOnDelete ? 'Retain' : 'Delete');
    expect(all('AWS::S3::BucketPolicy')[0]?.Properties['PolicyDocument']).toMatchObject({
      Statement: expect.arrayContaining([expect.objectContaining(DENIES_PLAIN_HTTP)]),
    });
  });

  describe('the HTTP API', () => {
    const routes = new Map(
      all('AWS::ApiGatewayV2::Route').map(({ Properties }) => [
        Properties['RouteKey'],
        Properties['AuthorizationType'],
      ]),
    );

    it('asks everybody for a signature, but for its health and its description', () => {
      expect(Object.fromEntries(routes)).toEqual({
        'GET /health': 'NONE',
        'GET /ready': 'NONE',
        'GET /info': 'NONE',
        'GET /openapi.json': 'NONE',
        'ANY /v1/{namespace}/{proxy+}': 'AWS_IAM',
        'ANY /v1/namespaces': 'AWS_IAM',
        'ANY /admin/{proxy+}': 'AWS_IAM',
        'ANY /metrics': 'AWS_IAM',
      });
    });

    it('is throttled, and logs every access without what callers send', () => {
      const [stage] = all('AWS::ApiGatewayV2::Stage');
      expect(stage?.Properties).toMatchObject({
        StageName: '$default',
        DefaultRouteSettings: {
          ThrottlingRateLimit: environment.throttle.ratePerSecond,
          ThrottlingBurstLimit: environment.throttle.burst,
        },
      });
      // By route they would be paid for, and say nothing: nearly every call has the same one.
      expect(stage?.Properties['DefaultRouteSettings']).not.toHaveProperty('DetailedMetricsEnabled');
      const settings = stage?.Properties['AccessLogSettings'] as { Format: string } | undefined;
      const format = settings?.Format ?? '';
      expect(JSON.parse(format)).toMatchObject({ status: '$context.status', route: '$context.routeKey' });
      expect(format).not.toMatch(/context\.(path|requestBody)|header|querystring/i);
    });
  });

  it.each(['AWS::Lambda::Function', 'AWS::SQS::Queue', 'AWS::DynamoDB::Table', 'AWS::S3::Bucket', 'AWS::IAM::Role'])(
    'every %s is tagged with the environment',
    (type) => {
      for (const { Properties } of all(type)) {
        expect(Properties['Tags']).toContainEqual({ Key: 'kagzi:environment', Value: name });
      }
    },
  );

  describe('every alarm', () => {
    const alarms = all('AWS::CloudWatch::Alarm').map(({ Properties }) => Properties);
    const headings =
      readFileSync(new URL('../../docs/runbook.md', import.meta.url), 'utf8').match(/(?<=^## ).+$/gm) ?? [];

    it('has a section in the runbook, and names it', () => {
      expect(alarms.length).toBeGreaterThan(15);
      for (const { AlarmName, AlarmDescription } of alarms) {
        const section = /Runbook: \S+#([a-z-]+)$/.exec(String(AlarmDescription))?.[1];
        expect(headings, String(AlarmName)).toContain(section);
      }
    });

    it('has a name of its own', () => {
      expect(new Set(alarms.map(({ AlarmName }) => AlarmName)).size).toBe(alarms.length);
    });

    it('rings for silence where silence is the trouble, and only there', () => {
      const ringing = alarms.filter(({ TreatMissingData }) => TreatMissingData === 'breaching');
      expect(ringing.map(({ AlarmName }) => AlarmName)).toEqual([`kagzi-${name}-watchdog-silent`]);
    });
  });

  describe('every metric of ours', () => {
    const shown = ownMetrics(template.toJSON());

    it('that a widget or an alarm names is one that the functions emit, with the dimension they give it', () => {
      expect(shown.length).toBeGreaterThan(20);
      for (const { metric, dimensions } of shown) {
        expect(Object.keys(METRICS)).toContain(metric);
        expect(dimensions).toEqual(['service', `kagzi-${name}`]);
      }
    });

    it('is shown somewhere', () => {
      expect([...new Set(shown.map(({ metric }) => metric))].sort()).toEqual(Object.keys(METRICS).sort());
    });
  });

  it('the dashboard asks its four questions in order', () => {
    const body = flat(all('AWS::CloudWatch::Dashboard')[0]?.Properties['DashboardBody']);
    const { widgets } = JSON.parse(body) as {
      widgets: { y: number; properties: { markdown?: string; title?: string } }[];
    };
    const questions = widgets.filter(({ properties }) => properties.markdown?.startsWith('# '));
    expect(questions.map(({ properties }) => properties.markdown)).toEqual([
      '# Is it healthy?',
      '# Is it keeping up?',
      '# What is failing?',
      '# What does it cost?',
    ]);
    expect(questions.map(({ y }) => y)).toEqual(questions.map(({ y }) => y).sort((a, b) => a - b));
    expect(widgets.map(({ properties }) => properties.title)).toEqual(
      expect.arrayContaining([expect.stringContaining('Dollars per thousand runs'), 'API latency, ms', 'Throttles']),
    );
  });

  it('the outputs give the URL and the names of the queues', () => {
    for (const output of ['Url', 'TaskQueueNames', 'ControlQueueName', 'TableName', 'BucketName']) {
      template.hasOutput(output, {});
    }
    const { Value } = template.toJSON()['Outputs'].TaskQueueNames as { Value: unknown };
    expect(flat(Value)).toContain('"default":');
  });
});

const idIn = (value: unknown): string => /<(\w+)/.exec(flat(value))?.[1] ?? '';

/** With names that such things could have. */
const resolved = (template: Template, value: string): string =>
  value
    .replaceAll('<AWS::Region>', 'eu-west-1')
    .replaceAll('<AWS::URLSuffix>', 'amazonaws.com')
    .replaceAll('<AWS::AccountId>', '123456789012')
    .replace(/^<\w+Role\w+\.Arn>$/, 'arn:aws:iam::123456789012:role/timers')
    .replace(/<(\w+)\.QueueName>/g, (_all, id: string) =>
      String(template.findResources('AWS::SQS::Queue')[id]?.['Properties'].QueueName),
    )
    .replace(/^<\w+Control\w+\.Arn>$/, 'arn:aws:sqs:eu-west-1:123456789012:control')
    .replace(/^<\w+>$/, 'some-name');

/** Alarms have them as properties, the dashboard as `["Kagzi","runs_started","service","kagzi-dev",…]`. */
function ownMetrics(template: Record<string, unknown>): { metric: string; dimensions: readonly string[] }[] {
  const found: { metric: string; dimensions: readonly string[] }[] = [];
  const look = (value: unknown): void => {
    if (Array.isArray(value) && value[0] === METRIC_NAMESPACE) {
      found.push({ metric: String(value[1]), dimensions: value.slice(2, 4).map(String) });
    } else if (typeof value === 'object' && value !== null) {
      const { Namespace, MetricName, Dimensions, DashboardBody } = value as Record<string, unknown>;
      if (Namespace === METRIC_NAMESPACE) {
        const [{ Name, Value }] = Dimensions as [{ Name: string; Value: string }];
        found.push({ metric: String(MetricName), dimensions: [Name, Value] });
      }
      if (DashboardBody !== undefined) look(JSON.parse(flat(DashboardBody)));
      Object.values(value).forEach(look);
    }
  };
  look(template);
  return found;
}
