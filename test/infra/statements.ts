import type { Template } from 'aws-cdk-lib/assertions';
import { flat, named, type Resource, resources } from './synthesised.ts';

export interface Statement {
  readonly Effect: string;
  readonly Action: string | readonly string[];
  readonly Resource: unknown;
  readonly Condition?: unknown;
}

const list = <T>(value: T | readonly T[]): readonly T[] => (Array.isArray(value) ? value : [value]) as readonly T[];

export const actionsOf = ({ Action }: Statement): readonly string[] => list(Action);
export const resourcesOf = ({ Resource }: Statement): readonly string[] => list(Resource).map(flat);

const statementsIn = ({ Properties }: Resource): readonly Statement[] =>
  (Properties['PolicyDocument'] as { Statement: readonly Statement[] }).Statement;

export const allStatements = (template: Template): readonly Statement[] =>
  resources(template, 'AWS::IAM::Policy').flatMap(statementsIn);

/** Of the role of a function. */
export function statementsOf(template: Template, functionName: string): readonly Statement[] {
  const role = flat(named(template, 'AWS::Lambda::Function', 'FunctionName', functionName).Properties['Role']);
  const id = role.slice(1, role.indexOf('.'));
  const isOfRole = ({ Properties }: Resource): boolean =>
    (Properties['Roles'] as readonly { Ref: string }[]).some(({ Ref }) => Ref === id);
  return resources(template, 'AWS::IAM::Policy').filter(isOfRole).flatMap(statementsIn);
}

/** What stands for the ids that the CDK makes up. */
const NAMES: readonly (readonly [RegExp, string])[] = [
  [/^<EngineRunTable\w+\.Arn>/, 'table'],
  [/^<EngineRunTable\w+\.StreamArn>$/, 'stream'],
  [/^<EngineBlobs\w+\.Arn>/, 'bucket'],
  [/^<EngineTasksdefaultQueue\w+\.Arn>$/, 'tasks'],
  [/^<EngineTasksdefaultDeadLetters\w+\.Arn>$/, 'tasks-dead'],
  [/^<EngineControlQueue\w+\.Arn>$/, 'control'],
  [/^<EngineControlDeadLetters\w+\.Arn>$/, 'control-dead'],
  [/^<EngineTimersRole\w+\.Arn>$/, 'timers-role'],
  [/^<\w+Logs\w+\.Arn>$/, 'logs'],
  [/^arn:<AWS::Partition>:events:<AWS::Region>:<AWS::AccountId>:event-bus\//, 'bus:'],
  [/^arn:<AWS::Partition>:scheduler:<AWS::Region>:<AWS::AccountId>:schedule\//, 'schedules:'],
];
const shortName = (arn: string): string => NAMES.reduce((text, [pattern, name]) => text.replace(pattern, name), arn);

/** Resource → actions, of everything a function may do. */
export function grantsOf(template: Template, functionName: string): Record<string, readonly string[]> {
  const grants = new Map<string, string[]>();
  for (const statement of statementsOf(template, functionName)) {
    for (const resource of resourcesOf(statement).map(shortName)) {
      grants.set(resource, [...(grants.get(resource) ?? []), ...actionsOf(statement)].sort());
    }
  }
  return Object.fromEntries(grants);
}
