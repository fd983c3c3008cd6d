import { Duration } from 'aws-cdk-lib';
import type { IAlarmAction } from 'aws-cdk-lib/aws-cloudwatch';
import type { IEventBus } from 'aws-cdk-lib/aws-events';
import type { Grant, IGrantable } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { checkSettings } from '../functions/read-environment.ts';
import type { ApiAuth } from './api-auth.ts';
import { BlobBucket } from './blob-bucket.ts';
import { Dashboard } from './dashboard.ts';
import { dataKey, type EncryptionKind } from './data-key.ts';
import { DeadLetters } from './dead-letters.ts';
import type { EngineResources } from './engine-resources.ts';
import { HttpApi } from './http-api.ts';
import { MessageQueue } from './message-queue.ts';
import { Observation } from './observation.ts';
import { RunAlarms } from './run-alarms.ts';
import { RunEvents } from './run-events.ts';
import { RunTable, type TableHandle } from './run-table.ts';
import { Timers } from './timers.ts';
import { WAKE_TIMEOUT, Wake } from './wake.ts';
import { Watchdog } from './watchdog.ts';

export interface TaskQueueOptions {
  /** Of the longest-running worker on it; the queue hides a message for six times as long. 5 minutes, if not given. */
  readonly workerTimeout?: Duration;
}

export interface KagziEngineProps {
  /** Names everything: `kagzi-NAME-…`. Lower-case letters, digits and hyphens. */
  readonly environmentName: string;
  /** The queues runs can be started on; `default` alone, if not given. */
  readonly taskQueues?: Readonly<Record<string, TaskQueueOptions>>;
  /** IAM, if not given. */
  readonly auth?: ApiAuth;
  readonly deletionProtection?: boolean;
  /** Whether table and bucket outlive the stack; true, if not given. */
  readonly keepDataOnDelete?: boolean;
  /** How far back the table and the bucket can be restored: 1 to 35, the most if not given. */
  readonly recoveryDays?: number;
  /** `aws-owned`, if not given. */
  readonly encryption?: EncryptionKind;
  /** A key of yours for the table, the bucket, the queues and the logs; see docs/deploying.md for its policy. */
  readonly encryptionKey?: IKey;
  /** A table restored from a backup, in place of a new one. */
  readonly restoredTable?: TableHandle;
  /** 30 days, if not given. */
  readonly logRetention?: RetentionDays;
  /** Whether traces go to X-Ray; true, if not given. */
  readonly tracing?: boolean;
  /** What every alarm does when it rings: an SNS topic, for example. */
  readonly alarmAction?: IAlarmAction;
  /** Where docs/runbook.md can be read; every alarm names its section there. */
  readonly runbookUrl?: string;
  /** Of the whole API: 1,000 a second and bursts of 2,000, if not given. */
  readonly throttle?: { readonly ratePerSecond: number; readonly burst: number };
  /** Concurrency kept for functions: the watchdog needs 2 to be relieved, and one to spare. None, if not given. */
  readonly reservedConcurrency?: { readonly api?: number | undefined; readonly watchdog?: number | undefined };
  /** Invocations at once for wake-ups and sweeps; 20, if not given. */
  readonly wakeConcurrency?: number;
  /** Told of each run's end, at least once; nobody is, if not given. See docs/events.md. */
  readonly eventBus?: IEventBus;
  /** Settings of the engine by their names in docs/cloud.md: `KAGZI_LEASE_SECS` … */
  readonly settings?: Readonly<Record<string, string>>;
}

/** A whole engine: storage, queues, timers, the HTTP API, and the functions that keep runs going. Workers come to it. */
export class KagziEngine extends Construct {
  readonly resources: EngineResources;
  readonly observation: Observation;
  readonly api: HttpApi;
  readonly dashboard: Dashboard;
  readonly url: string;

  constructor(scope: Construct, id: string, props: KagziEngineProps) {
    super(scope, id);
    const { environmentName, encryption = 'aws-owned', keepDataOnDelete = true, recoveryDays = 35 } = props;
    const { taskQueues = { default: {} }, throttle = { ratePerSecond: 1000, burst: 2000 } } = props;
    checkSettings(props.settings ?? {});
    const name = `kagzi-${environmentName}`;
    const keyProps = { environmentName, encryption, given: props.encryptionKey, keepDataOnDelete };
    const encryptionKey = dataKey(this, keyProps);
    const observation = new Observation({
      environmentName,
      logRetention: props.logRetention ?? RetentionDays.ONE_MONTH,
      tracing: props.tracing ?? true,
      alarmAction: props.alarmAction,
      runbookUrl: props.runbookUrl ?? 'docs/runbook.md',
    });
    this.observation = observation;
    const control = new MessageQueue(this, 'Control', {
      queueName: `${name}-control`,
      consumerTimeout: WAKE_TIMEOUT,
      maxAge: Duration.minutes(5),
      observation,
      encryptionKey,
    });
    const queueOf = ([queue, { workerTimeout = Duration.minutes(5) }]: [string, TaskQueueOptions]) =>
      [
        queue,
        new MessageQueue(this, `Tasks-${queue}`, {
          queueName: `${name}-tasks-${queue}`,
          consumerTimeout: workerTimeout,
          maxAge: Duration.minutes(15),
          observation,
          encryptionKey,
        }),
      ] as const;
    this.resources = {
      environmentName,
      table: new RunTable(this, 'RunTable', {
        restored: props.restoredTable,
        keepDataOnDelete,
        recoveryDays,
        deletionProtection: props.deletionProtection ?? true,
        encryption: encryption === 'customer-managed' ? 'aws-owned' : encryption,
        encryptionKey,
        streams: props.eventBus !== undefined,
        observation,
      }).table,
      bucket: new BlobBucket(this, 'Blobs', { keepDataOnDelete, recoveryDays, encryptionKey }).bucket,
      taskQueues: new Map(Object.entries(taskQueues).map(queueOf)),
      control,
      timers: new Timers(this, 'Timers', { groupName: name, controlQueue: control.queue, encryptionKey, observation }),
      encryptionKey: encryptionKey ?? null,
      settings: props.settings ?? {},
    };
    const common = { resources: this.resources, observation };
    this.api = new HttpApi(this, 'HttpApi', {
      ...common,
      ...throttle,
      auth: props.auth ?? { mode: 'iam' },
      reservedConcurrency: props.reservedConcurrency?.api,
    });
    this.url = this.api.url;
    const wake = new Wake(this, 'Wake', { ...common, maxConcurrency: props.wakeConcurrency ?? 20 });
    const watchdog = new Watchdog(this, 'Watchdog', {
      ...common,
      reservedConcurrency: props.reservedConcurrency?.watchdog,
    });
    const deadLetters = new DeadLetters(this, 'DeadLetters', common);
    const { eventBus } = props;
    const runEvents = eventBus && new RunEvents(this, 'RunEvents', { ...common, eventBus });
    new RunAlarms(this, 'Runs', common);
    this.dashboard = new Dashboard(this, 'Dashboard', {
      ...common,
      api: this.api,
      functions: {
        api: this.api.function,
        wake: wake.function,
        watchdog: watchdog.function,
        'dead letters': deadLetters.function,
        ...(runEvents && { 'run events': runEvents.function }),
      },
    });
  }

  /** See HttpApi.grantCall. */
  grantCall(grantee: IGrantable, options: { readonly namespaces?: readonly string[] } = {}): Grant {
    return this.api.grantCall(grantee, options);
  }
}
