import { type Grant, grantName } from '../iam/grants.ts';

interface Explained {
  /** Of names of roles. */
  readonly role: RegExp;
  readonly action: RegExp;
  readonly resource: RegExp;
  /** Why the scenarios need not use it. */
  readonly because: string;
}

/** Grants that stay unused in the scenarios, each with its reason. */
const EXPLAINED: readonly Explained[] = [
  {
    role: /HttpApi/,
    action: /^sqs:(ReceiveMessage|DeleteMessage)$/,
    resource: /-tasks-default$/,
    because: 'a poll worker may serve any task queue; the scenario polls another one',
  },
  {
    role: /HttpApi/,
    action: /^sqs:ChangeMessageVisibility$/,
    resource: /-tasks-/,
    because: 'a poll gives back what it cannot serve after all: a race that no scenario brings about',
  },
  {
    role: /./,
    action: /^scheduler:UpdateSchedule$/,
    resource: /./,
    because: 'a timer is changed only where one of its name is still there',
  },
  {
    role: /Wake|Watchdog/,
    action: /^scheduler:DeleteSchedule$/,
    resource: /./,
    because: 'a timer goes with a sleeping child of a run that ends, or where its time went by before it was made',
  },
  {
    role: /Wake|Watchdog|Examples/,
    action: /^sqs:SendMessage$/,
    resource: /-tasks-polled$/,
    because: 'one for every task queue; the default one shows it',
  },
  {
    role: /DeadLetters/,
    action: /^sqs:DeleteMessage$/,
    resource: /-(tasks-polled|control)-dead$/,
    because: 'one for every dead-letter queue; that of the default queue shows it',
  },
  {
    role: /Examples/,
    action: /^dynamodb:BatchWriteItem$/,
    resource: /./,
    because: 'for a child in a namespace or on a queue that nobody has named before',
  },
  {
    role: /Examples/,
    action: /^s3:ListBucket$/,
    resource: /./,
    because: 'without it a blob that is missing would be forbidden',
  },
  {
    role: /Examples/,
    action: /^sqs:SendMessage$/,
    resource: /-control$/,
    because: 'a timer whose time went by on the way is sent at once',
  },
];

const explains = ({ role, action, resource }: Explained, grant: Grant): boolean =>
  role.test(grant.role) && action.test(grant.action) && resource.test(grant.resource);

/** Why the scenarios need not use it; null if they must. */
export const explanationOf = (grant: Grant): string | null =>
  EXPLAINED.find((each) => explains(each, grant))?.because ?? null;

/** Unused grants that nobody has explained, and explanations of what is used or not there. */
export function unusedProblems(all: readonly Grant[], unused: readonly Grant[]): readonly string[] {
  const unexplained = unused.filter((grant) => explanationOf(grant) === null);
  const stale = EXPLAINED.filter((each) => !unused.some((grant) => explains(each, grant)));
  return [
    ...unexplained.map((grant) => `nothing has used ${grantName(grant)}`),
    ...stale.map(({ role, action, resource, because }) => {
      const known = all.some((grant) => explains({ role, action, resource, because }, grant));
      return `${known ? 'used, yet explained' : 'explained, but not granted'}: ${role} ${action} ${resource} (${because})`;
    }),
  ];
}
