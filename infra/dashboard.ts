import {
  AlarmStatusWidget,
  Dashboard as CloudWatchDashboard,
  GraphWidget,
  type IMetric,
  type IWidget,
  LegendPosition,
  SingleValueWidget,
  TextWidget,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import type { Metric } from '../shared/ports/telemetry.ts';
import { dollarsPerThousandRuns } from './cost-expression.ts';
import { engineMetric, PERIOD, scheduleLag } from './engine-metric.ts';
import type { EngineResources } from './engine-resources.ts';
import type { HttpApi } from './http-api.ts';
import { LateWidget } from './late-widget.ts';
import type { MessageQueue } from './message-queue.ts';
import type { Observation } from './observation.ts';
import { tableMetric, tableThrottles } from './table-metrics.ts';

export interface DashboardProps {
  readonly resources: EngineResources;
  readonly observation: Observation;
  readonly api: HttpApi;
  /** By the names they have in the engine; workers come later. */
  readonly functions: Readonly<Record<string, LambdaFunction>>;
}

const WIDTH = 24;

/** One page, read from top to bottom: is it healthy, is it keeping up, what is failing, what does it cost. */
export class Dashboard extends Construct {
  readonly #props: DashboardProps;
  readonly #workers = new Map<string, LambdaFunction>();

  constructor(scope: Construct, id: string, props: DashboardProps) {
    super(scope, id);
    this.#props = props;
    new CloudWatchDashboard(this, 'Dashboard', {
      dashboardName: `kagzi-${props.resources.environmentName}`,
      widgets: [
        [heading('Is it healthy?')],
        this.#healthy(),
        [heading('Is it keeping up?')],
        ...this.#keepingUp(),
        [heading('What is failing?')],
        ...this.#failing(),
        [heading('What does it cost?')],
        this.#cost(),
      ],
    });
  }

  addWorker(name: string, worker: LambdaFunction): void {
    this.#workers.set(`worker ${name}`, worker);
  }

  get #functions(): readonly (readonly [string, LambdaFunction])[] {
    return [...Object.entries(this.#props.functions), ...this.#workers];
  }

  get #queues(): readonly (readonly [string, MessageQueue])[] {
    const { taskQueues, control } = this.#props.resources;
    return [...taskQueues, ['control', control]];
  }

  #metrics(...names: readonly Metric[]): IMetric[] {
    return names.map((name) => engineMetric(this.#props.resources.environmentName, name));
  }

  #healthy(): IWidget[] {
    const { observation, api } = this.#props;
    return [
      new LateWidget(
        12,
        6,
        (size) => new AlarmStatusWidget({ ...size, title: 'Alarms', alarms: [...observation.alarms] }),
      ),
      new SingleValueWidget({
        title: 'In the last five minutes',
        width: 12,
        height: 6,
        metrics: [
          ...this.#metrics('watchdog_ticks', 'runs_completed', 'runs_failed', 'dead_letters'),
          api.stage.metricServerError({ period: PERIOD, label: 'API 5xx' }),
        ],
      }),
    ];
  }

  #keepingUp(): IWidget[][] {
    const { api, resources } = this.#props;
    const latencies = ['p50', 'p90', 'p99'].map((statistic) =>
      api.stage.metricLatency({ statistic, period: PERIOD, label: statistic }),
    );
    return [
      [
        graph('Runs', this.#metrics('runs_started', 'runs_claimed', 'runs_completed', 'runs_failed', 'runs_cancelled')),
        graph(
          'Messages waiting',
          this.#queues.map(([label, { queue }]) =>
            queue.metricApproximateNumberOfMessagesVisible({ period: PERIOD, label }),
          ),
        ),
        graph(
          'Age of the oldest message, s',
          this.#queues.map(([label, { queue }]) =>
            queue.metricApproximateAgeOfOldestMessage({ period: PERIOD, label }),
          ),
        ),
      ],
      [
        graph('API latency, ms', latencies),
        this.#late('Worker pool: invocations at once', () =>
          [...this.#workers].map(([label, worker]) =>
            worker.metric('ConcurrentExecutions', { statistic: 'Maximum', period: PERIOD, label }),
          ),
        ),
        graph('Workers that poll: heartbeats', this.#metrics('worker_heartbeats', 'workers_stale')),
      ],
      [
        graph('Schedules: mean lag, ms', [scheduleLag(resources.environmentName)]),
        graph('Schedules: fires', this.#metrics('schedules_fired', 'schedule_fires_skipped', 'sleeps_started')),
        graph('Watchdog', this.#metrics('watchdog_ticks', 'dispatches_resent', 'runs_purged', 'blobs_swept')),
      ],
    ];
  }

  #failing(): IWidget[][] {
    const { api, resources } = this.#props;
    return [
      [
        graph('Runs that failed or were tried again', this.#metrics('runs_failed', 'runs_retried', 'runs_stalled')),
        graph('Steps', this.#metrics('steps_completed', 'steps_failed', 'steps_retried')),
        graph('Leases recovered', this.#metrics('leases_recovered', 'workers_stale')),
      ],
      [
        graph('Dead letters', [
          ...this.#metrics('dead_letters'),
          ...this.#queues.map(([name, { deadLetters }]) =>
            deadLetters.metricApproximateNumberOfMessagesVisible({ period: PERIOD, label: `waiting: ${name}` }),
          ),
        ]),
        this.#late('Errors of functions', () =>
          this.#functions.map(([label, watched]) => watched.metricErrors({ period: PERIOD, label })),
        ),
        this.#late('Throttles', () => [
          tableThrottles(resources.table.tableName),
          ...this.#functions.map(([label, watched]) => watched.metricThrottles({ period: PERIOD, label })),
        ]),
      ],
      [
        graph('API answers', [
          api.stage.metricCount({ period: PERIOD, label: 'all' }),
          api.stage.metricClientError({ period: PERIOD, label: '4xx' }),
          api.stage.metricServerError({ period: PERIOD, label: '5xx' }),
        ]),
        this.#late('Duration of functions, p99, ms', () =>
          this.#functions.map(([label, watched]) =>
            watched.metricDuration({ statistic: 'p99', period: PERIOD, label }),
          ),
        ),
      ],
    ];
  }

  #cost(): IWidget[] {
    const { resources, api } = this.#props;
    const { tableName } = resources.table;
    return [
      this.#late('Dollars per thousand runs (list prices: table, queues, API, functions)', () => [
        dollarsPerThousandRuns({
          environmentName: resources.environmentName,
          requests: api.stage.metricCount({ period: PERIOD }),
          queues: this.#queues.map(([, queue]) => queue),
          functions: this.#functions.map(([, each]) => each),
        }),
      ]),
      graph('Consumed capacity', [
        tableMetric(tableName, 'ConsumedWriteCapacityUnits'),
        tableMetric(tableName, 'ConsumedReadCapacityUnits'),
        ...this.#metrics('write_units', 'read_units'),
      ]),
      this.#late('Invocations', () =>
        this.#functions.map(([label, each]) => each.metricInvocations({ period: PERIOD, label })),
      ),
    ];
  }

  /** Of functions, of which some are added after this page. */
  #late(title: string, metrics: () => IMetric[]): IWidget {
    return new LateWidget(8, 6, (size) => graph(title, metrics(), size));
  }
}

const heading = (text: string): IWidget => new TextWidget({ markdown: `# ${text}`, width: WIDTH, height: 1 });

const graph = (title: string, left: IMetric[], size = { width: 8, height: 6 }): IWidget =>
  new GraphWidget({ title, left, ...size, legendPosition: LegendPosition.BOTTOM, leftYAxis: { min: 0 } });
