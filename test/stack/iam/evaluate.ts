import { runSimulation } from '@cloud-copilot/iam-simulate';
import { ACCOUNT } from '../template/physical-resource.ts';
import type { PolicyDocument } from './policy-document.ts';

/** One thing that somebody wants to do. */
export interface Access {
  readonly action: string;
  readonly resource: string;
  readonly conditions?: Readonly<Record<string, string | readonly string[]>>;
}

export interface Decision {
  readonly isAllowed: boolean;
  /** The ids of the identity's statements that allow it. */
  readonly allowedBy: readonly string[];
}

interface Policies {
  readonly identity?: PolicyDocument | undefined;
  readonly resource?: PolicyDocument | undefined;
}

/** What IAM would say, by an evaluator that needs no network. The one account owns everything; every call came over TLS. */
export async function evaluate(
  principal: string,
  { action, resource, conditions = {} }: Access,
  policies: Policies,
): Promise<Decision> {
  const given = { 'aws:SecureTransport': 'true', 'aws:PrincipalAccount': ACCOUNT, ...conditions };
  const contextVariables = Object.fromEntries(
    Object.entries(given).map(([key, value]) => [key, typeof value === 'string' ? value : [...value]]),
  );
  const answer = await runSimulation(
    {
      request: { principal, action, resource: { resource, accountId: ACCOUNT }, contextVariables },
      identityPolicies: policies.identity === undefined ? [] : [{ name: 'identity', policy: policies.identity }],
      serviceControlPolicies: [],
      resourceControlPolicies: [],
      ...(policies.resource === undefined ? {} : { resourcePolicy: policies.resource }),
    },
    {},
  );
  if (answer.resultType !== 'single') {
    throw new Error(`IAM cannot judge ${action} on ${resource}: ${JSON.stringify(answer)}`);
  }
  const allowing = answer.result.analysis.identityAnalysis?.allowStatements ?? [];
  return {
    isAllowed: answer.overallResult === 'Allowed',
    allowedBy: allowing.flatMap(({ explain }) => explain.identifier ?? []),
  };
}
