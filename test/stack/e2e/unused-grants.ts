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
const EXPLAINED: readonly Explained[] = [];

/** Unused grants that nobody has explained, and explanations of what is used or not there. */
export function unusedProblems(all: readonly Grant[], unused: readonly Grant[]): readonly string[] {
  const explains = ({ role, action, resource }: Explained, grant: Grant): boolean =>
    role.test(grant.role) && action.test(grant.action) && resource.test(grant.resource);
  const unexplained = unused.filter((grant) => !EXPLAINED.some((each) => explains(each, grant)));
  const stale = EXPLAINED.filter((each) => !unused.some((grant) => explains(each, grant)));
  return [
    ...unexplained.map((grant) => `nothing has used ${grantName(grant)}`),
    ...stale.map(({ role, action, resource, because }) => {
      const known = all.some((grant) => explains({ role, action, resource, because }, grant));
      return `${known ? 'used, yet explained' : 'explained, but not granted'}: ${role} ${action} ${resource} (${because})`;
    }),
  ];
}
