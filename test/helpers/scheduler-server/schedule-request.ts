import { z } from 'zod';
import { SchedulerError } from './scheduler-error.ts';

const NAME = /^[0-9a-zA-Z-_.]+$/;
const AT = /^at\((\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})\)$/;
const RECURRING = /^(rate|cron)\(.+\)$/;
const MAX_TIME_ZONE = 50;

const name = z.string().min(1).max(64).regex(NAME);
const target = z.strictObject({
  Arn: z.string().min(1).max(1600),
  RoleArn: z
    .string()
    .min(1)
    .max(1600)
    .regex(/^arn:aws(-[a-z]+)?:iam::\d{12}:role\/[\w+=,.@/-]+$/),
  Input: z.string().min(1).optional(),
  DeadLetterConfig: z.strictObject({ Arn: z.string() }).optional(),
  RetryPolicy: z
    .strictObject({
      MaximumEventAgeInSeconds: z.int().min(60).max(86_400).optional(),
      MaximumRetryAttempts: z.int().min(0).max(185).optional(),
    })
    .optional(),
  SqsParameters: z.strictObject({ MessageGroupId: z.string().min(1).max(128).optional() }).optional(),
});

const scheduleSchema = z.strictObject({
  Name: name,
  GroupName: name.default('default'),
  ScheduleExpression: z.string().min(1).max(256),
  ScheduleExpressionTimezone: z.string().min(1).max(MAX_TIME_ZONE).default('UTC'),
  FlexibleTimeWindow: z.strictObject({
    Mode: z.enum(['OFF', 'FLEXIBLE']),
    MaximumWindowInMinutes: z.int().min(1).max(1440).optional(),
  }),
  Target: target,
  ActionAfterCompletion: z.enum(['NONE', 'DELETE']).default('NONE'),
  State: z.enum(['ENABLED', 'DISABLED']).default('ENABLED'),
  Description: z.string().max(512).optional(),
  ClientToken: z
    .string()
    .min(1)
    .max(64)
    .regex(/^[a-zA-Z0-9-_]+$/)
    .optional(),
});
export type ScheduleRequest = z.output<typeof scheduleSchema>;

/** The body of CreateSchedule or UpdateSchedule, with the name from the path; throws what the service would refuse. */
export function readSchedule(scheduleName: string, body: unknown): ScheduleRequest {
  const parsed = scheduleSchema.safeParse({ ...(body as object), Name: scheduleName });
  if (!parsed.success) throw invalid(parsed.error);
  const { FlexibleTimeWindow, ScheduleExpression } = parsed.data;
  if (FlexibleTimeWindow.Mode === 'OFF' && FlexibleTimeWindow.MaximumWindowInMinutes !== undefined) {
    throw new SchedulerError('ValidationException', 'A window of a flexible schedule, with the mode OFF.');
  }
  if (!AT.test(ScheduleExpression) && !RECURRING.test(ScheduleExpression)) throw badExpression(ScheduleExpression);
  return parsed.data;
}

export function readGroupName(groupName: string): string {
  const parsed = name.safeParse(groupName);
  if (!parsed.success) throw invalid(parsed.error);
  return parsed.data;
}

/** When a one-time schedule is due. Only those fire here, and only in UTC. */
export function fireTime({ ScheduleExpression, ScheduleExpressionTimezone }: ScheduleRequest): number {
  const [, at] = AT.exec(ScheduleExpression) ?? [];
  if (at === undefined || ScheduleExpressionTimezone !== 'UTC')
    throw new Error(`this server fires one-time schedules in UTC only, not ${ScheduleExpression}`);
  const time = Date.parse(`${at}Z`);
  if (Number.isNaN(time)) throw badExpression(ScheduleExpression);
  return time;
}

const badExpression = (expression: string): SchedulerError =>
  new SchedulerError('ValidationException', `Invalid Schedule Expression ${expression}.`);

function invalid({ issues }: z.ZodError): SchedulerError {
  const told = issues.map(
    ({ path, message }) => `Value at '${path.join('.')}' failed to satisfy constraint: ${message}`,
  );
  const count = `${told.length} validation error${told.length === 1 ? '' : 's'} detected`;
  return new SchedulerError('ValidationException', `${count}: ${told.join('; ')}`);
}
