import type { ResolvedTemplate } from '../template/resolve-template.ts';
import { type EmittedMetrics, metricKey } from './emitted-metrics.ts';
import { type NamedMetric, namedMetrics } from './named-metrics.ts';

/** The types of the resources that dimensions of AWS's own metrics name, and what they name them by. */
const NAMED_BY: Readonly<Record<string, string>> = {
  FunctionName: 'AWS::Lambda::Function',
  TableName: 'AWS::DynamoDB::Table',
  QueueName: 'AWS::SQS::Queue',
  ApiId: 'AWS::ApiGatewayV2::Api',
  BucketName: 'AWS::S3::Bucket',
  ScheduleGroup: 'AWS::Scheduler::ScheduleGroup',
  RuleName: 'AWS::Events::Rule',
  LogGroupName: 'AWS::Logs::LogGroup',
};

/** What is named but nobody has emitted; of AWS's own, what is about nothing that the stack has. */
export function metricProblems(
  template: ResolvedTemplate,
  emitted: EmittedMetrics,
): { readonly named: number; readonly problems: readonly string[] } {
  const named = namedMetrics(template);
  const problems = named.flatMap((metric) => {
    const { namespace, name, dimensions, by } = metric;
    const what = `${by} names ${namespace} ${name} ${JSON.stringify(dimensions)}`;
    if (namespace.startsWith('AWS/'))
      return isAboutTheStack(template, metric) ? [] : [`${what}: there is no such thing`];
    return emitted.keys.has(metricKey(namespace, name, dimensions)) ? [] : [`${what}: nobody has emitted it`];
  });
  return { named: named.length, problems: [...new Set(problems)] };
}

function isAboutTheStack(template: ResolvedTemplate, { dimensions }: NamedMetric): boolean {
  return Object.entries(dimensions).every(([name, value]) => {
    const type = NAMED_BY[name];
    if (type === undefined) return true;
    return template
      .ofType(type)
      .some(({ ref, attributes }) => ref === value || attributes[name] === value || attributes['QueueName'] === value);
  });
}
