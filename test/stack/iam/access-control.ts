import type { ResolvedTemplate } from '../template/resolve-template.ts';
import { type Access, type Decision, evaluate } from './evaluate.ts';
import { type Grant, type GrantedRole, listGrants } from './grants.ts';
import { type PolicyDocument, readPolicy } from './policy-document.ts';
import { readRoles } from './read-roles.ts';

export interface Refusal {
  readonly role: string;
  readonly action: string;
  readonly resource: string;
  /** Of items, if it was about some. */
  readonly keys: readonly string[];
}

/** The roles of a stack and the policies of its resources: says who may do what, and remembers it. */
export class AccessControl {
  readonly grants: readonly Grant[];
  readonly refusals: Refusal[] = [];
  readonly #roles: ReadonlyMap<string, GrantedRole>;
  readonly #resourcePolicies: ReadonlyMap<string, PolicyDocument>;
  readonly #decisions = new Map<string, Promise<Decision>>();
  #used = new Set<string>();

  /** As if the grant withheld had never been given. */
  constructor(
    template: ResolvedTemplate,
    private readonly withheld: Grant | null = null,
  ) {
    const granted = listGrants(readRoles(template));
    this.#roles = new Map(granted.map((each) => [each.role.arn, each]));
    this.grants = granted.flatMap(({ grants }) => grants);
    this.#resourcePolicies = new Map([...queuePolicies(template), ...bucketPolicies(template)]);
  }

  /** Whether the role may do all of it. */
  async mayDo(roleArn: string, accesses: readonly Access[]): Promise<boolean> {
    const granted = this.#roles.get(roleArn);
    if (granted === undefined) throw new Error(`there is no role ${roleArn} in the stack`);
    for (const access of accesses) {
      const { isAllowed, allowedBy } = await this.#decide(granted, access);
      for (const sid of allowedBy) this.#used.add(sid);
      if (isAllowed) continue;
      const { action, resource, conditions } = access;
      const keys = [conditions?.['dynamodb:LeadingKeys'] ?? []].flat();
      this.refusals.push({ role: granted.role.logicalId, action, resource, keys });
      return false;
    }
    return true;
  }

  /** Whether a service may take the role on, for something of this account. */
  async mayAssume(service: string, roleArn: string, sourceArn?: string): Promise<boolean> {
    const granted = this.#roles.get(roleArn);
    if (granted === undefined) return false;
    const source =
      sourceArn === undefined ? {} : { 'aws:SourceArn': sourceArn, 'aws:SourceAccount': accountOf(roleArn) };
    const access = { action: 'sts:AssumeRole', resource: roleArn, conditions: source };
    return (await evaluate(service, access, { resource: granted.role.trust })).isAllowed;
  }

  /** What was refused since this was last asked. */
  takeRefusals(): readonly Refusal[] {
    return this.refusals.splice(0);
  }

  /** The grants that were used since this was last asked. */
  takeUsed(): readonly Grant[] {
    const used = this.grants.filter(({ sid }) => this.#used.has(sid));
    this.#used = new Set();
    return used;
  }

  #decide({ role, document }: GrantedRole, access: Access): Promise<Decision> {
    const key = JSON.stringify([role.arn, access]);
    const known = this.#decisions.get(key);
    if (known !== undefined) return known;
    const identity = {
      ...document,
      Statement: document.Statement.filter(({ Sid }) => this.withheld === null || Sid !== this.withheld.sid),
    };
    const decision = evaluate(role.arn, access, { identity, resource: this.#resourcePolicy(access.resource) });
    this.#decisions.set(key, decision);
    return decision;
  }

  /** Of a queue, or of the bucket an object is in. */
  #resourcePolicy(resource: string): PolicyDocument | undefined {
    return this.#resourcePolicies.get(resource) ?? this.#resourcePolicies.get(resource.split('/')[0] ?? '');
  }
}

const accountOf = (arn: string): string => arn.split(':')[4] ?? '';

function queuePolicies(template: ResolvedTemplate): [string, PolicyDocument][] {
  return template.ofType('AWS::SQS::QueuePolicy').flatMap(({ properties }) => {
    const { Queues, PolicyDocument } = properties as { Queues: readonly string[]; PolicyDocument: unknown };
    const urls = template.ofType('AWS::SQS::Queue').filter(({ ref }) => Queues.includes(ref));
    return urls.map(
      ({ attributes }) => [attributes['Arn'] ?? '', readPolicy(PolicyDocument)] as [string, PolicyDocument],
    );
  });
}

function bucketPolicies(template: ResolvedTemplate): [string, PolicyDocument][] {
  return template.ofType('AWS::S3::BucketPolicy').map(({ properties }) => {
    const { Bucket, PolicyDocument } = properties as { Bucket: string; PolicyDocument: unknown };
    return [`arn:aws:s3:::${Bucket}`, readPolicy(PolicyDocument)];
  });
}
