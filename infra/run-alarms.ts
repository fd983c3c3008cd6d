import { Construct } from 'constructs';
import { engineMetric, scheduleLag } from './engine-metric.ts';
import type { EngineResources } from './engine-resources.ts';
import type { Observation } from './observation.ts';

export interface RunAlarmsProps {
  readonly resources: EngineResources;
  readonly observation: Observation;
}

/** What the metrics of runs tell of the engine as a whole, not of one resource. */
export class RunAlarms extends Construct {
  constructor(scope: Construct, id: string, { resources: { environmentName }, observation }: RunAlarmsProps) {
    super(scope, id);
    observation.alarm(this, 'leases-recovered', {
      metric: engineMetric(environmentName, 'leases_recovered'),
      threshold: 20,
      periods: 3,
      summary: 'Many runs were taken from workers that went silent: workers die, or cannot reach the table.',
      section: 'leases-recovered',
    });
    observation.alarm(this, 'runs-stalled', {
      metric: engineMetric(environmentName, 'runs_stalled'),
      threshold: 1,
      periods: 1,
      summary: 'A run failed because worker after worker got stuck in it.',
      section: 'runs-stalled',
    });
    observation.alarm(this, 'schedule-lag', {
      metric: scheduleLag(environmentName),
      threshold: 60_000,
      periods: 3,
      summary: 'Schedules fire more than a minute late.',
      section: 'schedule-lag',
    });
  }
}
