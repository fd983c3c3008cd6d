import { ACCOUNT, type Physical, physicalResource, REGION } from './physical-resource.ts';
import type { Resource, SynthesisedStack } from './read-stack.ts';

type Fields = Readonly<Record<string, unknown>>;

export interface ResolvedResource {
  readonly logicalId: string;
  readonly type: string;
  /** With every intrinsic function replaced by what it stands for. */
  readonly properties: Fields;
  readonly ref: string;
  readonly attributes: Physical['attributes'];
}

const GONE = Symbol('AWS::NoValue');

/** A template with its references resolved, as after a deployment. */
export class ResolvedTemplate {
  readonly resources: readonly ResolvedResource[];
  readonly outputs: Readonly<Record<string, string>>;
  readonly #physical = new Map<string, Physical>();
  readonly #pseudo: Fields;

  constructor(readonly stack: SynthesisedStack) {
    this.#pseudo = {
      'AWS::AccountId': ACCOUNT,
      'AWS::Region': REGION,
      'AWS::Partition': 'aws',
      'AWS::URLSuffix': 'amazonaws.com',
      'AWS::StackName': stack.name,
      'AWS::StackId': `arn:aws:cloudformation:${REGION}:${ACCOUNT}:stack/${stack.name}/0`,
      'AWS::NoValue': GONE,
    };
    const { Resources, Outputs } = stack.template;
    this.resources = Object.entries(Resources)
      .filter(([, { Condition }]) => Condition === undefined || this.#holds(Condition))
      .map(([logicalId, { Type, Properties }]) => ({
        logicalId,
        type: Type,
        properties: this.#resolve(Properties) as Fields,
        ...this.#physicalOf(logicalId),
      }));
    this.outputs = Object.fromEntries(
      Object.entries(Outputs).map(([name, { Value }]) => [name, String(this.#resolve(Value))]),
    );
  }

  ofType(type: string): readonly ResolvedResource[] {
    return this.resources.filter((resource) => resource.type === type);
  }

  /** The one whose ARN this is. */
  byArn(arn: string): ResolvedResource | null {
    return this.resources.find(({ attributes }) => attributes['Arn'] === arn) ?? null;
  }

  #physicalOf(logicalId: string): Physical {
    const known = this.#physical.get(logicalId);
    if (known !== undefined) return known;
    const resource: Resource | undefined = this.stack.template.Resources[logicalId];
    if (resource === undefined) throw new Error(`there is no resource ${logicalId}`);
    const physical = physicalResource(this.stack.name, logicalId, resource, (value) => this.#resolve(value));
    this.#physical.set(logicalId, physical);
    return physical;
  }

  #resolve(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.#resolve(item)).filter((item) => item !== GONE);
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value);
    const [[name, given] = ['', null]] = entries;
    if (entries.length === 1 && (name === 'Ref' || name.startsWith('Fn::'))) return this.#call(name, given);
    return Object.fromEntries(
      entries.map(([key, inner]) => [key, this.#resolve(inner)]).filter(([, inner]) => inner !== GONE),
    );
  }

  #call(name: string, given: unknown): unknown {
    if (name === 'Fn::Sub') return this.#sub(given);
    if (name === 'Fn::GetAtt') return this.#attribute(...attributePath(given));
    if (name === 'Fn::If') {
      const [condition, yes, no] = given as readonly [string, unknown, unknown];
      return this.#resolve(this.#holds(condition) ? yes : no);
    }
    const args = this.#resolve(given);
    switch (name) {
      case 'Ref':
        return this.#ref(args as string);
      case 'Fn::Join': {
        const [mark, parts] = args as readonly [string, readonly string[]];
        return parts.join(mark);
      }
      case 'Fn::Select': {
        const [index, list] = args as readonly [string, readonly unknown[]];
        return list[Number(index)];
      }
      case 'Fn::Split': {
        const [mark, text] = args as readonly [string, string];
        return text.split(mark);
      }
      case 'Fn::FindInMap':
        return (args as readonly string[]).reduce<unknown>((map, key) => (map as Fields)[key], this.#mappings);
      case 'Fn::Equals': {
        const [one, other] = args as readonly unknown[];
        return one === other;
      }
      case 'Fn::And':
        return (args as readonly boolean[]).every(Boolean);
      case 'Fn::Or':
        return (args as readonly boolean[]).some(Boolean);
      case 'Fn::Not':
        return (args as readonly boolean[])[0] !== true;
      case 'Fn::GetAZs':
        return [`${REGION}a`, `${REGION}b`];
      default:
        throw new Error(`the test bed does not know ${name}`);
    }
  }

  get #mappings(): unknown {
    return this.stack.template.Mappings;
  }

  #holds(condition: string): boolean {
    return this.#resolve(this.stack.template.Conditions[condition]) === true;
  }

  #ref(name: string): unknown {
    if (name in this.#pseudo) return this.#pseudo[name];
    const parameter = this.stack.template.Parameters[name];
    return parameter === undefined ? this.#physicalOf(name).ref : parameter.Default;
  }

  #attribute(logicalId: string, name: string): string {
    const attribute = this.#physicalOf(logicalId).attributes[name];
    if (attribute === undefined) throw new Error(`the test bed does not know the attribute ${name} of ${logicalId}`);
    return attribute;
  }

  #sub(given: unknown): string {
    const [text, own] = (Array.isArray(given) ? given : [given, {}]) as unknown as readonly [string, Fields];
    return text.replace(/\$\{(!?)([^}]+)\}/g, (whole, literal: string, name: string) => {
      if (literal !== '') return whole.replace('!', '');
      if (name in own) return String(this.#resolve(own[name]));
      return String(name.includes('.') ? this.#attribute(...attributePath(name)) : this.#ref(name));
    });
  }
}

const attributePath = (given: unknown): readonly [string, string] => {
  const [logicalId = '', ...rest] = typeof given === 'string' ? given.split('.') : (given as string[]);
  return [logicalId, rest.join('.')];
};
