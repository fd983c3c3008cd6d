import { randomBytes } from 'node:crypto';
import { type RawRequest, verifySigV4 } from '../../helpers/verify-sigv4.ts';
import { evaluate } from '../iam/evaluate.ts';
import type { PolicyDocument } from '../iam/policy-document.ts';
import { ACCOUNT, REGION } from '../template/physical-resource.ts';

/** Somebody in the account who calls the API, and what their policy allows. */
export interface Caller {
  readonly arn: string;
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
  readonly policy: PolicyDocument;
}

export const newCaller = (name: string, resources: readonly string[]): Caller => ({
  arn: `arn:aws:iam::${ACCOUNT}:role/${name}`,
  credentials: {
    accessKeyId: `AKIA${randomBytes(8).toString('hex').toUpperCase()}`,
    secretAccessKey: randomBytes(20).toString('hex'),
  },
  policy: {
    Version: '2012-10-17',
    Statement: [{ Effect: 'Allow', Action: ['execute-api:Invoke'], Resource: [...resources] }],
  },
});

/** Who has signed the request, if their policy lets them call it; null if nobody has, or it does not. */
export async function callerOf(
  request: RawRequest,
  callers: readonly Caller[],
  { apiId, stage, path }: { readonly apiId: string; readonly stage: string; readonly path: string },
): Promise<Caller | null> {
  const find = (key: string): Caller | undefined => callers.find(({ credentials }) => credentials.accessKeyId === key);
  const refusal = verifySigV4(request, {
    identityOf: (key) => find(key)?.credentials,
    region: REGION,
    service: 'execute-api',
    now: Date.now(),
  });
  if (refusal !== null) return null;
  const authorization = request.headers.find(([name]) => name.toLowerCase() === 'authorization')?.[1] ?? '';
  const caller = find(/Credential=([^/]+)\//.exec(authorization)?.[1] ?? '');
  if (caller === undefined) return null;
  const resource = `arn:aws:execute-api:${REGION}:${ACCOUNT}:${apiId}/${stage}/${request.method}${path}`;
  const access = { action: 'execute-api:Invoke', resource };
  return (await evaluate(caller.arn, access, { identity: caller.policy })).isAllowed ? caller : null;
}

/** What the function is told of them. */
export const iamContext = ({ arn, credentials }: Caller) => ({
  iam: {
    accessKey: credentials.accessKeyId,
    accountId: ACCOUNT,
    callerId: credentials.accessKeyId,
    cognitoIdentity: null,
    principalOrgId: null,
    userArn: arn,
    userId: credentials.accessKeyId,
  },
});
