import type { ResolvedTemplate } from '../template/resolve-template.ts';
import { type PolicyDocument, readPolicy } from './policy-document.ts';

export interface Role {
  readonly logicalId: string;
  readonly name: string;
  readonly arn: string;
  /** Who may take it on. */
  readonly trust: PolicyDocument;
  readonly policies: readonly { readonly name: string; readonly document: PolicyDocument }[];
}

interface RoleProperties {
  readonly AssumeRolePolicyDocument: unknown;
  readonly Policies?: readonly { readonly PolicyName: string; readonly PolicyDocument: unknown }[];
  readonly ManagedPolicyArns?: readonly string[];
}
interface PolicyProperties {
  readonly PolicyDocument: unknown;
  readonly Roles?: readonly string[];
}

/** The roles of a template with everything that is attached to them. A policy of AWS's own is unknown here. */
export function readRoles(template: ResolvedTemplate): readonly Role[] {
  const attached = [...template.ofType('AWS::IAM::Policy'), ...template.ofType('AWS::IAM::ManagedPolicy')].map(
    ({ logicalId, ref, properties }) => ({ logicalId, ref, properties: properties as unknown as PolicyProperties }),
  );
  return template.ofType('AWS::IAM::Role').map(({ logicalId, ref, attributes, properties }) => {
    const given = properties as unknown as RoleProperties;
    const managed = given.ManagedPolicyArns ?? [];
    const unknown = managed.filter((arn) => !attached.some((policy) => policy.ref === arn));
    if (unknown.length > 0) throw new Error(`${logicalId} has policies that are not in its stack: ${unknown.join()}`);
    const own = (given.Policies ?? []).map(({ PolicyName, PolicyDocument }) => [PolicyName, PolicyDocument] as const);
    const others = attached
      .filter(({ ref: policy, properties: { Roles } }) => Roles?.includes(ref) === true || managed.includes(policy))
      .map(({ logicalId: name, properties: { PolicyDocument } }) => [name, PolicyDocument] as const);
    return {
      logicalId,
      name: ref,
      arn: attributes['Arn'] ?? '',
      trust: readPolicy(given.AssumeRolePolicyDocument),
      policies: [...own, ...others].map(([name, document]) => ({ name, document: readPolicy(document) })),
    };
  });
}
