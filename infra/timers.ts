import { RemovalPolicy, Stack } from 'aws-cdk-lib';
import { Effect, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { ScheduleGroup } from 'aws-cdk-lib/aws-scheduler';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { PERIOD } from './engine-metric.ts';
import type { Observation } from './observation.ts';

export interface TimersProps {
  readonly groupName: string;
  /** Where every schedule of the group sends to. */
  readonly controlQueue: IQueue;
  /** Of that queue, if it is the customer's. */
  readonly encryptionKey?: IKey | undefined;
  readonly observation: Observation;
}

/** The group of the engine's one-time schedules, and the role that lets them, and no others, send to the control queue. */
export class Timers extends Construct {
  readonly groupName: string;
  readonly role: Role;
  /** Of every schedule in the group. */
  readonly schedulesArn: string;

  constructor(scope: Construct, id: string, { groupName, controlQueue, encryptionKey, observation }: TimersProps) {
    super(scope, id);
    const stack = Stack.of(this);
    const group = new ScheduleGroup(this, 'Group', {
      scheduleGroupName: groupName,
      // Nothing is lost with a timer: every run has its row in the due index.
      removalPolicy: RemovalPolicy.DESTROY,
    });
    this.groupName = groupName;
    this.schedulesArn = stack.formatArn({ service: 'scheduler', resource: 'schedule', resourceName: `${groupName}/*` });
    this.role = new Role(this, 'Role', {
      description: `Lets the schedules of ${groupName} send to its control queue`,
      // The source of a schedule's call is its group.
      assumedBy: new ServicePrincipal('scheduler.amazonaws.com', {
        conditions: {
          StringEquals: { 'aws:SourceAccount': stack.account },
          ArnEquals: { 'aws:SourceArn': group.scheduleGroupArn },
        },
      }),
    });
    this.role.addToPolicy(
      new PolicyStatement({
        effect: Effect.ALLOW,
        actions: ['sqs:SendMessage'],
        resources: [controlQueue.queueArn],
      }),
    );
    if (encryptionKey !== undefined) {
      const actions = ['kms:GenerateDataKey', 'kms:Decrypt'];
      this.role.addToPolicy(new PolicyStatement({ actions, resources: [encryptionKey.keyArn] }));
    }
    observation.alarm(this, 'timers-dropped', {
      metric: group.metricDropped({ period: PERIOD }),
      threshold: 1,
      periods: 1,
      summary: 'Schedules could not send to the control queue: the watchdog wakes their runs, a little late.',
      section: 'timers-dropped',
    });
  }
}
