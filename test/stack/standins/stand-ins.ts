import { CreateBucketCommand } from '@aws-sdk/client-s3';
import { SQSClient } from '@aws-sdk/client-sqs';
import { SystemClock } from '../../../shared/system/system-clock.ts';
import { type DynamoEngine, type EngineKind, startDynamoEngine } from '../../helpers/dynamo-engines.ts';
import { type Fauxqs, startFauxqs } from '../../helpers/fauxqs.ts';
import { type SchedulerServer, startSchedulerServer } from '../../helpers/scheduler-server/scheduler-server.ts';
import type { AccessControl } from '../iam/access-control.ts';
import { queueAccess } from '../proxy/sqs-accesses.ts';
import { ACCOUNT, REGION } from '../template/physical-resource.ts';
import type { ResolvedTemplate } from '../template/resolve-template.ts';
import { createQueues } from './create-queues.ts';
import { createTable } from './create-table.ts';

/** What stands in for DynamoDB, SQS, S3 and the Scheduler, with the tables, queues, buckets and groups of a template. */
export interface StandIns {
  readonly dynamo: DynamoEngine;
  readonly fauxqs: Fauxqs;
  readonly scheduler: SchedulerServer;
  /** Waits as long as the answer takes: a moved clock must not cut off a receive that has got a message. */
  readonly patientSqs: SQSClient;
  /** At the stand-in, by the name of the queue. */
  readonly queueUrl: (name: string) => string;
  stop(): Promise<void>;
}

export async function startStandIns(
  kind: EngineKind,
  template: ResolvedTemplate,
  control: AccessControl,
): Promise<StandIns> {
  const dynamo = await startDynamoEngine(kind);
  const fauxqs = await startFauxqs(REGION);
  for (const table of template.ofType('AWS::DynamoDB::Table')) await createTable(dynamo.client, table);
  for (const { ref } of template.ofType('AWS::S3::Bucket')) {
    await fauxqs.s3.send(new CreateBucketCommand({ Bucket: ref }));
  }
  const urls = await createQueues(fauxqs.sqs, template.ofType('AWS::SQS::Queue'));
  const queueUrl = (name: string): string => {
    const url = urls.get(name);
    if (url === undefined) throw new Error(`there is no queue ${name} in the stack`);
    return url;
  };
  const patientSqs = new SQSClient({
    endpoint: fauxqs.endpoint,
    region: REGION,
    credentials: { accessKeyId: 'lambda', secretAccessKey: 'lambda' },
    useQueueUrlAsEndpoint: false,
    requestHandler: { requestTimeout: 0 },
  });
  const scheduler = await startSchedulerServer({
    clock: new SystemClock(),
    sqs: patientSqs,
    queueUrl: (arn) => queueUrl(arn.split(':').at(-1) ?? ''),
    mayFire: ({ GroupName, Target }) => maySend(control, GroupName, Target),
  });
  for (const { ref } of template.ofType('AWS::Scheduler::ScheduleGroup')) scheduler.book.createGroup(ref);
  return {
    dynamo,
    fauxqs,
    patientSqs,
    scheduler,
    queueUrl,
    async stop() {
      patientSqs.destroy();
      await scheduler.stop();
      await fauxqs.stop();
      await dynamo.stop();
    },
  };
}

/** A schedule sends with the role it was given, which must let schedules of its group take it on. */
async function maySend(
  control: AccessControl,
  group: string,
  { Arn, RoleArn }: { readonly Arn: string; readonly RoleArn: string },
): Promise<boolean> {
  const source = `arn:aws:scheduler:${REGION}:${ACCOUNT}:schedule-group/${group}`;
  if (!(await control.mayAssume('scheduler.amazonaws.com', RoleArn, source))) return false;
  return control.mayDo(RoleArn, [queueAccess('SendMessage', Arn.split(':').at(-1) ?? '')]);
}
