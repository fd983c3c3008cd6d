import type { Access } from '../iam/evaluate.ts';
import { ACCOUNT, REGION } from '../template/physical-resource.ts';

const ACTIONS: Readonly<Record<string, string>> = {
  POST: 'CreateSchedule',
  PUT: 'UpdateSchedule',
  GET: 'GetSchedule',
  DELETE: 'DeleteSchedule',
};

/** What a call of EventBridge Scheduler asks IAM for: handing a role to it asks for that, too. */
export function schedulerAccesses(method: string, target: string, body: string): readonly Access[] {
  const url = new URL(target, 'http://scheduler');
  const [, kind, name] = url.pathname.split('/');
  const action = ACTIONS[method];
  if (kind !== 'schedules' || name === undefined || action === undefined) {
    throw new Error(`the test bed does not know ${method} ${target} of the Scheduler`);
  }
  const { GroupName, Target } = (body === '' ? {} : JSON.parse(body)) as {
    readonly GroupName?: string;
    readonly Target?: { readonly RoleArn: string };
  };
  const group = GroupName ?? url.searchParams.get('groupName') ?? 'default';
  const schedule = `arn:aws:scheduler:${REGION}:${ACCOUNT}:schedule/${group}/${decodeURIComponent(name)}`;
  return [
    { action: `scheduler:${action}`, resource: schedule },
    ...(Target === undefined ? [] : [passRole(Target.RoleArn)]),
  ];
}

const passRole = (roleArn: string): Access => ({
  action: 'iam:PassRole',
  resource: roleArn,
  conditions: { 'iam:PassedToService': 'scheduler.amazonaws.com' },
});
