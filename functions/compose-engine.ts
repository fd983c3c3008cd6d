import { createDynamoClient } from '../shared/aws/dynamo-client.ts';
import { DynamoTable } from '../shared/aws/dynamo-table.ts';
import { S3Blobs } from '../shared/aws/s3-blobs.ts';
import { createS3Client } from '../shared/aws/s3-client.ts';
import { createSchedulerClient } from '../shared/aws/scheduler-client.ts';
import { SchedulerTimers } from '../shared/aws/scheduler-timers.ts';
import { createSqsClient } from '../shared/aws/sqs-client.ts';
import { SqsQueue } from '../shared/aws/sqs-queue.ts';
import { createEngine, type Engine } from '../shared/store/engine.ts';
import { MeteredTable } from '../shared/store/metered-table.ts';
import { SystemClock } from '../shared/system/system-clock.ts';
import { SystemIds } from '../shared/system/system-ids.ts';
import { LambdaTelemetry } from './lambda-telemetry.ts';
import { type Environment, readEnvironment } from './read-environment.ts';

export interface ComposedEngine {
  readonly engine: Engine;
  readonly telemetry: LambdaTelemetry;
  readonly environment: Environment;
  /** To be called at the end of each invocation. */
  readonly flush: () => void;
}

/** The engine in an account, from what the stack tells its functions. Throws an EnvironmentError that names what is wrong. */
export function composeEngine(env: Readonly<Record<string, string | undefined>>): ComposedEngine {
  const environment = readEnvironment(env);
  const telemetry = LambdaTelemetry.of({ environment: environment.name, logLevel: environment.logLevel });
  const clock = new SystemClock();
  const ids = new SystemIds();
  const { tableName, bucket, queueUrls } = environment;
  const queue = new SqsQueue({ client: createSqsClient(), urls: queueUrls, clock, ids });
  const table = new DynamoTable({ client: createDynamoClient(), tableName, clock, ids });
  const engine = createEngine({
    table: new MeteredTable(table, (units) => {
      telemetry.count('write_units', units.write);
      telemetry.count('read_units', units.read);
    }),
    queue,
    timers: new SchedulerTimers({
      client: createSchedulerClient(),
      groupName: environment.scheduleGroup,
      queueArn: environment.controlQueueArn,
      roleArn: environment.scheduleRoleArn,
      queue,
      clock,
      ids,
    }),
    blobs: new S3Blobs({ client: createS3Client({ pathStyle: environment.bucketInPath }), bucket, clock, ids }),
    clock,
    ids,
    telemetry,
    config: environment.config,
  });
  return { engine, telemetry, environment, flush: () => telemetry.flush() };
}
