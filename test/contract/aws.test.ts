import { afterAll, beforeAll } from 'vitest';
import { S3Blobs } from '../../shared/aws/s3-blobs.ts';
import { createSchedulerClient } from '../../shared/aws/scheduler-client.ts';
import { SchedulerTimers } from '../../shared/aws/scheduler-timers.ts';
import { PASS_ON_MS, SqsQueue } from '../../shared/aws/sqs-queue.ts';
import { CONTROL_QUEUE } from '../../shared/ports/queue.ts';
import { SystemClock } from '../../shared/system/system-clock.ts';
import { SystemIds } from '../../shared/system/system-ids.ts';
import { type Fauxqs, startFauxqs } from '../helpers/fauxqs.ts';
import { ManualClock } from '../helpers/manual-clock.ts';
import { jump, startMovingTime, stopMovingTime } from '../helpers/moving-time.ts';
import { startSchedulerServer } from '../helpers/scheduler-server/scheduler-server.ts';
import { type BlobsUnderTest, describeBlobsContract } from './blobs-contract.ts';
import { FAUXQS_BLOBS_FLAWS, FAUXQS_QUEUE_FLAWS } from './engine-flaws.ts';
import { describeQueueContract, type QueueUnderTest } from './queue-contract.ts';
import { describeQueueSelectionContract } from './queue-selection-contract.ts';
import { describeTimersContract } from './timers-contract.ts';

const ids = new SystemIds();
const GROUP = 'kagzi-test';
const ROLE = 'arn:aws:iam::000000000000:role/kagzi-timers';
const MAX_RECEIVES = 3;

let fauxqs: Fauxqs;
beforeAll(async () => {
  startMovingTime();
  fauxqs = await startFauxqs();
});
afterAll(async () => {
  await fauxqs.stop();
  stopMovingTime();
});

async function makeQueue(): Promise<QueueUnderTest> {
  const urls = await fauxqs.createQueues(['orders', 'others'], MAX_RECEIVES);
  return {
    queue: new SqsQueue({ client: fauxqs.sqs, urls, clock: new SystemClock(), ids }),
    passOnMs: PASS_ON_MS,
    advance: jump,
    close: async () => undefined,
  };
}

describeQueueContract('SqsQueue on fauxqs', makeQueue, { maxReceives: MAX_RECEIVES, flaws: FAUXQS_QUEUE_FLAWS });
describeQueueSelectionContract('SqsQueue on fauxqs', makeQueue, { flaws: FAUXQS_QUEUE_FLAWS });

describeTimersContract('SchedulerTimers on the Scheduler server', async () => {
  const clock = new ManualClock();
  const urls = await fauxqs.createQueues([CONTROL_QUEUE], MAX_RECEIVES);
  const server = await startSchedulerServer({ clock, sqs: fauxqs.sqs, queueUrl: (arn) => fauxqs.urlOf(arn) });
  server.book.createGroup(GROUP);
  const client = createSchedulerClient({ endpoint: server.endpoint });
  const queue = new SqsQueue({ client: fauxqs.sqs, urls, clock: new SystemClock(), ids });
  const queueArn = fauxqs.arnOf(urls.get(CONTROL_QUEUE) ?? '');
  return {
    timers: new SchedulerTimers({ client, groupName: GROUP, queueArn, roleArn: ROLE, queue, clock, ids }),
    queue,
    now: () => clock.now(),
    async advance(ms) {
      await clock.advance(ms);
      await server.idle();
    },
    async close() {
      client.destroy();
      await server.stop();
    },
  };
});

async function makeBlobs(): Promise<BlobsUnderTest> {
  const bucket = await fauxqs.createBucket();
  return {
    blobs: new S3Blobs({ client: fauxqs.s3, bucket, clock: new SystemClock(), ids }),
    close: async () => undefined,
  };
}

describeBlobsContract('S3Blobs on fauxqs', makeBlobs, { flaws: FAUXQS_BLOBS_FLAWS });
