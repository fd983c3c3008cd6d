import { Duration } from 'aws-cdk-lib';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { DEAD_SUFFIX } from '../functions/read-environment.ts';
import { PERIOD } from './engine-metric.ts';
import type { Observation } from './observation.ts';

/** Deliveries before a message is a dead letter. Fewer would bury messages that were merely throttled. */
const MAX_RECEIVES = 5;
/** As AWS advises for a queue that a function is triggered by. */
const VISIBILITY_FACTOR = 6;

export interface MessageQueueProps {
  /** Its dead-letter queue has this name and `-dead`: that is how the functions find it. */
  readonly queueName: string;
  /** Of the function it triggers; it stays invisible for six times as long. */
  readonly consumerTimeout: Duration;
  /** How old a message may get before somebody should look. */
  readonly maxAge: Duration;
  readonly observation: Observation;
  readonly encryptionKey?: IKey | undefined;
}

/** A standard queue with its dead-letter queue, both encrypted and for TLS only. */
export class MessageQueue extends Construct {
  readonly queue: Queue;
  readonly deadLetters: Queue;
  readonly consumerTimeout: Duration;

  constructor(scope: Construct, id: string, props: MessageQueueProps) {
    super(scope, id);
    const { queueName, consumerTimeout, encryptionKey } = props;
    this.consumerTimeout = consumerTimeout;
    const guarded = {
      enforceSSL: true,
      visibilityTimeout: Duration.seconds(VISIBILITY_FACTOR * consumerTimeout.toSeconds()),
      ...(encryptionKey === undefined
        ? { encryption: QueueEncryption.SQS_MANAGED }
        : { encryption: QueueEncryption.KMS, encryptionMasterKey: encryptionKey }),
    };
    this.deadLetters = new Queue(this, 'DeadLetters', {
      ...guarded,
      queueName: queueName + DEAD_SUFFIX,
      retentionPeriod: Duration.days(14),
    });
    this.queue = new Queue(this, 'Queue', {
      ...guarded,
      queueName,
      retentionPeriod: Duration.days(4),
      deadLetterQueue: { queue: this.deadLetters, maxReceiveCount: MAX_RECEIVES },
    });
    this.#watch(id.toLowerCase(), props);
  }

  #watch(name: string, { observation, maxAge }: MessageQueueProps): void {
    observation.alarm(this, `${name}-oldest-message`, {
      metric: this.queue.metricApproximateAgeOfOldestMessage({ period: PERIOD }),
      threshold: maxAge.toSeconds(),
      periods: 3,
      summary: `Messages wait in ${name} for longer than ${maxAge.toMinutes()} minutes: nobody serves them, or too few do.`,
      section: 'oldest-message-too-old',
    });
    observation.alarm(this, `${name}-dead-letter-queue`, {
      metric: this.deadLetters.metricApproximateNumberOfMessagesVisible({ period: PERIOD }),
      threshold: 1,
      periods: 3,
      summary: `The dead-letter queue of ${name} is not emptied: the function that records dead letters fails.`,
      section: 'dead-letter-queue-not-empty',
    });
  }
}
