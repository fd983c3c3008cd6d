import { Duration } from 'aws-cdk-lib';
import type { IEventBus } from 'aws-cdk-lib/aws-events';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import {
  EventSourceMapping,
  FilterCriteria,
  FilterRule,
  type Function as LambdaFunction,
  StartingPosition,
} from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { classOf, RUN_STATUSES } from '../shared/model/run.ts';
import { EngineFunction } from './engine-function.ts';
import { PERIOD } from './engine-metric.ts';
import type { EngineResources } from './engine-resources.ts';
import { explainFinding } from './explain-finding.ts';
import type { Observation } from './observation.ts';

export interface RunEventsProps {
  readonly resources: EngineResources;
  readonly observation: Observation;
  readonly eventBus: IEventBus;
}

const isOpen = (status: (typeof RUN_STATUSES)[number]): boolean => classOf(status) === 'OPEN';
const LATE = Duration.minutes(5);

/** Heads that leave an open status for the last one, as shared/store writes them. Nothing else invokes the function. */
const RUN_ENDS = {
  eventName: FilterRule.isEqual('MODIFY'),
  dynamodb: {
    Keys: { sk: { S: FilterRule.isEqual('head') } },
    OldImage: { st: { S: RUN_STATUSES.filter(isOpen) } },
    NewImage: { st: { S: RUN_STATUSES.filter((status) => !isOpen(status)) } },
  },
};

/** Reads the stream of the table, and tells a bus of each run's end. */
export class RunEvents extends Construct {
  readonly function: LambdaFunction;

  constructor(scope: Construct, id: string, { resources, observation, eventBus }: RunEventsProps) {
    super(scope, id);
    const { tableStreamArn } = resources.table;
    if (tableStreamArn === undefined) {
      throw new Error(
        'The restored table has no stream: switch it on with new and old images, and give the table with its tableStreamArn.',
      );
    }
    const runEvents = new EngineFunction(this, 'RunEvents', {
      functionName: 'run-events',
      description: "Tells the event bus of each run's end",
      resources,
      observation,
      timeout: Duration.seconds(30),
      memorySize: 256,
      environment: { KAGZI_EVENT_BUS: eventBus.eventBusArn },
    });
    this.function = runEvents.function;
    this.#allow(tableStreamArn, eventBus);
    observation.alarm(this, 'run-events-late', {
      metric: this.function.metric('IteratorAge', { statistic: 'Maximum', period: PERIOD }),
      threshold: LATE.toMilliseconds(),
      periods: 3,
      summary: `The ends of runs are told more than ${LATE.toMinutes()} minutes late. After a day they are told to nobody.`,
      section: 'run-events-late',
    });
    const mapping = new EventSourceMapping(this, 'Stream', {
      target: this.function,
      eventSourceArn: tableStreamArn,
      startingPosition: StartingPosition.LATEST,
      batchSize: 100,
      bisectBatchOnError: true,
      reportBatchItemFailures: true,
      filters: [FilterCriteria.filter(RUN_ENDS)],
    });
    if (this.function.role !== undefined) mapping.node.addDependency(this.function.role);
  }

  #allow(stream: string, { eventBusArn }: IEventBus): void {
    this.function.addToRolePolicy(
      new PolicyStatement({
        actions: ['dynamodb:DescribeStream', 'dynamodb:GetRecords', 'dynamodb:GetShardIterator'],
        resources: [stream],
      }),
    );
    // Belongs to no resource; Lambda asks for it before it reads a stream.
    this.function.addToRolePolicy(new PolicyStatement({ actions: ['dynamodb:ListStreams'], resources: ['*'] }));
    this.function.addToRolePolicy(new PolicyStatement({ actions: ['events:PutEvents'], resources: [eventBusArn] }));
    if (this.function.role !== undefined) {
      explainFinding(
        this.function.role,
        'IAM5[Resource::*]',
        'Traces, and the list of streams, belong to no resource.',
      );
    }
  }
}
