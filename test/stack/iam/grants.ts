import type { PolicyDocument } from './policy-document.ts';
import type { Role } from './read-roles.ts';

/** One action on one resource that a role is allowed: the smallest thing that can be taken away. */
export interface Grant {
  /** The place of its statement among those of all roles, as a statement id. */
  readonly sid: string;
  readonly role: string;
  readonly action: string;
  readonly resource: string;
}

export interface GrantedRole {
  readonly role: Role;
  readonly grants: readonly Grant[];
  /** As the role's policies, but with a statement of its own for every grant. */
  readonly document: PolicyDocument;
}

/** Takes the policies of roles apart into grants. */
export function listGrants(roles: readonly Role[]): readonly GrantedRole[] {
  let count = 0;
  return roles.map((role) => {
    const statements = role.policies.flatMap(({ document }) => document.Statement);
    const grants: Grant[] = [];
    const apart = statements.flatMap((statement) => {
      const { Effect, Action, Resource } = statement;
      if (Effect !== 'Allow' || Action === undefined || Resource === undefined) return [statement];
      return Action.flatMap((action) =>
        Resource.map((resource) => {
          const sid = `g${count++}`;
          grants.push({ sid, role: role.logicalId, action, resource });
          return { ...statement, Sid: sid, Action: [action], Resource: [resource] };
        }),
      );
    });
    return { role, grants, document: { Version: '2012-10-17', Statement: apart } };
  });
}

export const grantName = ({ role, action, resource }: Grant): string => `${role}: ${action} on ${resource}`;
