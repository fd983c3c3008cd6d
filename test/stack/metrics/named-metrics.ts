import type { ResolvedTemplate } from '../template/resolve-template.ts';
import type { Dimensions } from './emitted-metrics.ts';

export interface NamedMetric {
  /** Of the dashboard or the alarm. */
  readonly by: string;
  readonly namespace: string;
  readonly name: string;
  readonly dimensions: Dimensions;
}

interface AlarmMetric {
  readonly Namespace?: string;
  readonly MetricName?: string;
  readonly Dimensions?: readonly { readonly Name: string; readonly Value: string }[];
}
interface AlarmProperties extends AlarmMetric {
  readonly Metrics?: readonly { readonly MetricStat?: { readonly Metric: AlarmMetric } }[];
}
interface Widget {
  readonly type: string;
  readonly properties: { readonly metrics?: readonly (readonly unknown[])[] };
}

/** Every metric that a dashboard's widget or an alarm of the template names. */
export function namedMetrics(template: ResolvedTemplate): readonly NamedMetric[] {
  const alarms = template.ofType('AWS::CloudWatch::Alarm').flatMap(({ ref, properties }) => {
    const given = properties as unknown as AlarmProperties;
    const metrics = [given, ...(given.Metrics ?? []).flatMap(({ MetricStat }) => MetricStat?.Metric ?? [])];
    return metrics.flatMap((metric) => alarmMetric(ref, metric));
  });
  const widgets = template.ofType('AWS::CloudWatch::Dashboard').flatMap(({ ref, properties }) => {
    const body = JSON.parse(String(properties['DashboardBody'])) as { readonly widgets: readonly Widget[] };
    return body.widgets.flatMap(({ properties: { metrics = [] } }) => widgetMetrics(ref, metrics));
  });
  return [...alarms, ...widgets];
}

const alarmMetric = (by: string, { Namespace, MetricName, Dimensions = [] }: AlarmMetric): NamedMetric[] =>
  Namespace === undefined || MetricName === undefined
    ? []
    : [
        {
          by,
          namespace: Namespace,
          name: MetricName,
          dimensions: Object.fromEntries(Dimensions.map(({ Name, Value }) => [Name, Value])),
        },
      ];

/** A row is a namespace, a name, and names and values of dimensions; a dot repeats what stands above it. */
function widgetMetrics(by: string, rows: readonly (readonly unknown[])[]): NamedMetric[] {
  const found: NamedMetric[] = [];
  let above: readonly string[] = [];
  for (const row of rows) {
    const texts = row.filter((each): each is string => typeof each === 'string');
    if (texts.length < 2) continue;
    const [namespace = '', name = '', ...rest] = texts.map((text, index) =>
      text === '.' ? (above[index] ?? '') : text,
    );
    above = [namespace, name, ...rest];
    const pairs = rest.flatMap((key, index) => (index % 2 === 0 ? [[key, rest[index + 1] ?? ''] as const] : []));
    found.push({ by, namespace, name, dimensions: Object.fromEntries(pairs) });
  }
  return found;
}
