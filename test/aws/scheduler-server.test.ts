import {
  CreateScheduleCommand,
  CreateScheduleGroupCommand,
  type CreateScheduleInput,
  DeleteScheduleCommand,
  DeleteScheduleGroupCommand,
  GetScheduleCommand,
  GetScheduleGroupCommand,
  ListScheduleGroupsCommand,
  ListSchedulesCommand,
  type SchedulerClient,
  UpdateScheduleCommand,
} from '@aws-sdk/client-scheduler';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSchedulerClient } from '../../shared/aws/scheduler-client.ts';
import { createSqsClient } from '../../shared/aws/sqs-client.ts';
import { ManualClock } from '../helpers/manual-clock.ts';
import { type SchedulerServer, startSchedulerServer } from '../helpers/scheduler-server/scheduler-server.ts';

let server: SchedulerServer;
let client: SchedulerClient;
const sqs = createSqsClient({ endpoint: 'http://127.0.0.1:9' });
beforeEach(async () => {
  const clock = new ManualClock();
  server = await startSchedulerServer({ clock, sqs, queueUrl: (arn) => arn });
  client = createSchedulerClient({ endpoint: server.endpoint });
});
afterEach(async () => {
  client.destroy();
  await server.stop();
});

const schedule = (more: Partial<CreateScheduleInput> = {}): CreateScheduleInput => ({
  Name: 'a',
  ScheduleExpression: 'at(2030-01-01T00:00:00)',
  FlexibleTimeWindow: { Mode: 'OFF' },
  Target: { Arn: 'arn:aws:sqs:local:000000000000:q', RoleArn: 'arn:aws:iam::000000000000:role/r' },
  ...more,
});
const create = (more?: Partial<CreateScheduleInput>) => client.send(new CreateScheduleCommand(schedule(more)));

/** What our adapter may run into, answered as the service documents it. */
describe('the Scheduler server', () => {
  it.each<[string, Partial<CreateScheduleInput>]>([
    ['a name with a blank', { Name: 'a b' }],
    ['a name of 65 characters', { Name: 'x'.repeat(65) }],
    ['a time zone in the expression', { ScheduleExpression: 'at(2030-01-01T00:00:00Z)' }],
    ['milliseconds', { ScheduleExpression: 'at(2030-01-01T00:00:00.000)' }],
    ['a day that is none', { ScheduleExpression: 'at(2030-13-01T00:00:00)' }],
    ['no expression at all', { ScheduleExpression: 'tomorrow' }],
    ['a time in the past', { ScheduleExpression: 'at(2020-01-01T00:00:00)' }],
    ['a window that is off', { FlexibleTimeWindow: { Mode: 'OFF', MaximumWindowInMinutes: 5 } }],
    ['no role', { Target: { Arn: 'arn:aws:sqs:local:000000000000:q', RoleArn: 'role' } }],
    ['a token with a blank', { ClientToken: 'a b' }],
  ])('refuses %s', async (_what, more) => {
    await expect(create(more)).rejects.toMatchObject({ name: 'ValidationException' });
  });

  it('knows a request again by its token', async () => {
    const made = await create({ ClientToken: 'one' });
    expect((await create({ ClientToken: 'one' })).ScheduleArn).toBe(made.ScheduleArn);
    await expect(create({ ClientToken: 'one', Name: 'b' })).rejects.toMatchObject({ name: 'ConflictException' });
    await expect(create({ ClientToken: 'two' })).rejects.toMatchObject({ name: 'ConflictException' });
    await expect(create()).rejects.toMatchObject({ name: 'ConflictException' });
  });

  it('changes, shows, lists and deletes', async () => {
    await create();
    await create({ Name: 'b', State: 'DISABLED' });
    const later = schedule({ ScheduleExpression: 'at(2031-01-01T00:00:00)' });
    await client.send(new UpdateScheduleCommand(later));
    expect(await client.send(new GetScheduleCommand({ Name: 'a' }))).toMatchObject({
      ScheduleExpression: 'at(2031-01-01T00:00:00)',
      ActionAfterCompletion: 'NONE',
      State: 'ENABLED',
    });
    const first = await client.send(new ListSchedulesCommand({ MaxResults: 1 }));
    const second = await client.send(new ListSchedulesCommand({ MaxResults: 1, NextToken: first.NextToken }));
    expect([first, second].flatMap(({ Schedules = [] }) => Schedules.map(({ Name }) => Name))).toEqual(['a', 'b']);
    expect(second.NextToken).toBeUndefined();
    expect((await client.send(new ListSchedulesCommand({ State: 'DISABLED' }))).Schedules).toHaveLength(1);
    await client.send(new DeleteScheduleCommand({ Name: 'a' }));
    for (const gone of [new GetScheduleCommand({ Name: 'a' }), new UpdateScheduleCommand(later)]) {
      await expect(client.send(gone as GetScheduleCommand)).rejects.toMatchObject({
        name: 'ResourceNotFoundException',
      });
    }
  });

  it('keeps groups apart', async () => {
    await client.send(new CreateScheduleGroupCommand({ Name: 'mine' }));
    await expect(client.send(new CreateScheduleGroupCommand({ Name: 'mine' }))).rejects.toMatchObject({
      name: 'ConflictException',
    });
    await create({ GroupName: 'mine' });
    expect((await client.send(new GetScheduleGroupCommand({ Name: 'mine' }))).State).toBe('ACTIVE');
    expect((await client.send(new ListScheduleGroupsCommand({}))).ScheduleGroups).toHaveLength(2);
    const missing = { name: 'ResourceNotFoundException' };
    await expect(client.send(new GetScheduleCommand({ Name: 'a' }))).rejects.toMatchObject(missing);
    await expect(create({ GroupName: 'theirs' })).rejects.toMatchObject(missing);
    await client.send(new DeleteScheduleGroupCommand({ Name: 'mine' }));
    await expect(client.send(new GetScheduleCommand({ Name: 'a', GroupName: 'mine' }))).rejects.toMatchObject(missing);
  });
});
