import {
  Alarm,
  ComparisonOperator,
  type IAlarmAction,
  type IMetric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';

/** Sections of docs/runbook.md, one for each kind of alarm. */
export type RunbookSection =
  | 'dead-letters'
  | 'dead-letter-queue-not-empty'
  | 'oldest-message-too-old'
  | 'watchdog-silent'
  | 'api-errors'
  | 'function-errors'
  | 'function-throttled'
  | 'table-throttled'
  | 'leases-recovered'
  | 'schedule-lag'
  | 'runs-stalled'
  | 'timers-dropped'
  | 'run-events-late';

export interface AlarmProps {
  readonly metric: IMetric;
  /** It rings at this much, or more. */
  readonly threshold: number;
  /** Whether it rings below the threshold, and for silence. */
  readonly below?: boolean;
  /** Five minutes each. */
  readonly periods: number;
  readonly summary: string;
  readonly section: RunbookSection;
}

export interface ObservationProps {
  readonly environmentName: string;
  readonly logRetention: RetentionDays;
  readonly tracing: boolean;
  readonly alarmAction?: IAlarmAction | undefined;
  readonly runbookUrl: string;
}

/** How an engine is watched: its logs, its traces, and every alarm of it. */
export class Observation {
  readonly environmentName: string;
  readonly logRetention: RetentionDays;
  /** Whether traces go to X-Ray, as its sampling rules say. */
  readonly tracing: boolean;
  readonly #alarms: Alarm[] = [];
  readonly #props: ObservationProps;

  constructor(props: ObservationProps) {
    this.environmentName = props.environmentName;
    this.logRetention = props.logRetention;
    this.tracing = props.tracing;
    this.#props = props;
  }

  get alarms(): readonly Alarm[] {
    return this.#alarms;
  }

  /** Beside the resource it watches. Its name ends with the id. */
  alarm(
    scope: Construct,
    id: string,
    { metric, threshold, below = false, periods, summary, section }: AlarmProps,
  ): void {
    const alarm = new Alarm(scope, id, {
      alarmName: `kagzi-${this.environmentName}-${id}`,
      alarmDescription: `${summary} Runbook: ${this.#props.runbookUrl}#${section}`,
      metric,
      threshold,
      evaluationPeriods: periods,
      comparisonOperator: below
        ? ComparisonOperator.LESS_THAN_THRESHOLD
        : ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: below ? TreatMissingData.BREACHING : TreatMissingData.NOT_BREACHING,
    });
    if (this.#props.alarmAction !== undefined) alarm.addAlarmAction(this.#props.alarmAction);
    this.#alarms.push(alarm);
  }
}
