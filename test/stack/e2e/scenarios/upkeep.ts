import assert from 'node:assert/strict';
import { QueryCommand } from '@aws-sdk/client-dynamodb';
import { HeadObjectCommand, ListObjectsV2Command, PutObjectCommand } from '@aws-sdk/client-s3';
import { PurgeQueueCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import { greet } from '../../../../examples/hello.ts';
import { order } from '../../../../examples/order.ts';
import type { E2eWorld } from '../e2e-world.ts';
import { large } from '../large-payload.ts';
import type { Scenario } from '../scenario.ts';

const MINUTE = 60_000;
const DAY = 86_400_000;
const RETENTION_DAYS = 31;

/** As the watchdog sends it when there is more than one tick can do. */
async function sendSweep({ bed }: E2eWorld): Promise<void> {
  const text = (StringValue: string) => ({ DataType: 'String', StringValue });
  await bed.standIns.fauxqs.sqs.send(
    new SendMessageCommand({
      QueueUrl: bed.standIns.queueUrl('kagzi-dev-control'),
      MessageBody: JSON.stringify({ sweep: { shard: 0 } }),
      MessageAttributes: { group: text('#engine'), kind: text('sweep') },
    }),
  );
}

async function endedRun(world: E2eWorld) {
  const handle = await world.client().start(greet, { name: large() });
  await world.outputOf(handle);
  return handle;
}

/** From the table and the bucket: past its retention nobody is shown it, whether or not it is still there. */
async function isRemoved({ bed }: E2eWorld, runId: string): Promise<boolean> {
  const [table] = bed.template.ofType('AWS::DynamoDB::Table');
  const [bucket] = bed.template.ofType('AWS::S3::Bucket');
  const { Count } = await bed.standIns.dynamo.client.send(
    new QueryCommand({
      TableName: table?.ref,
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': { S: `shop#run#${runId}` } },
      ConsistentRead: true,
    }),
  );
  const blobs = await bed.standIns.fauxqs.s3.send(
    new ListObjectsV2Command({ Bucket: bucket?.ref, Prefix: `shop/${runId}/` }),
  );
  return Count === 0 && (blobs.Contents ?? []).length === 0;
}

export const UPKEEP: readonly Scenario[] = [
  {
    name: 'the watchdog removes a run whose retention has ended, with its items and blobs',
    short: false,
    async run(world) {
      const handle = await endedRun(world);
      assert.equal(await isRemoved(world, handle.runId), false);
      await world.bed.pass(RETENTION_DAYS * DAY, DAY);
      await world.bed.until('its removal', () => isRemoved(world, handle.runId));
    },
  },
  {
    name: 'what is too much for a tick of the watchdog is done by wake',
    short: false,
    async run(world) {
      const { bed } = world;
      const [watchdog, worker] = [bed.function('watchdog'), bed.function('worker-examples')];
      const ended = await endedRun(world);
      await bed.pass((RETENTION_DAYS - 1) * DAY, DAY);
      watchdog.outage = 'it has too much to do';
      await watchdog.kill('all');
      try {
        const recovered = await world.client().start(order, { amount: 3 });
        await bed.until('a worker on it', async () => (await recovered.status()) === 'RUNNING');
        await worker.kill('busy');
        worker.outage = 'away';
        const lost = await world.client().start(greet, { name: 'Ken' });
        await bed.standIns.fauxqs.sqs.send(
          new PurgeQueueCommand({ QueueUrl: bed.standIns.queueUrl('kagzi-dev-tasks-default') }),
        );
        worker.outage = null;
        await bed.pass(2 * DAY, DAY);
        await sendSweep(world);
        await bed.until('the removal of the old run', () => isRemoved(world, ended.runId));
        await world.outputOf(lost);
        await world.outputOf(recovered);
      } finally {
        watchdog.outage = null;
        worker.outage = null;
      }
    },
  },
  {
    name: 'a blob of no run is swept after a day',
    short: false,
    async run(world) {
      const { fauxqs } = world.bed.standIns;
      const [bucket] = world.bed.template.ofType('AWS::S3::Bucket');
      const object = { Bucket: bucket?.ref ?? '', Key: `shop/${crypto.randomUUID()}/1/input` };
      await fauxqs.s3.send(new PutObjectCommand({ ...object, Body: 'left behind by a crash' }));
      await world.bed.pass(DAY / 2, DAY / 4);
      await fauxqs.s3.send(new HeadObjectCommand(object));
      await world.bed.pass(2 * DAY, DAY / 2);
      const isGone = (): Promise<boolean> =>
        fauxqs.s3.send(new HeadObjectCommand(object)).then(
          () => false,
          (error: Error) => error.name === 'NotFound',
        );
      await world.passUntil('its end', isGone, 5 * MINUTE, 30_000);
      await world.untilCounted('blobs_swept');
    },
  },
];
