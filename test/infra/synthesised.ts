import { readFileSync } from 'node:fs';
import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { EngineStack } from '../../infra/engine-stack.ts';
import { type Environment, type EnvironmentName, selectEnvironment } from '../../infra/environments.ts';
import { KagziEngine, type KagziEngineProps } from '../../infra/kagzi-engine.ts';

export const ENVIRONMENTS = ['dev', 'staging', 'prod'] as const;

export const { context } = JSON.parse(readFileSync(new URL('../../cdk.json', import.meta.url), 'utf8')) as {
  context: { env: string; environments: Record<string, Record<string, unknown>> };
};
export const environmentOf = (name: EnvironmentName): Environment => selectEnvironment(name, context.environments);

export interface Resource {
  readonly Type: string;
  readonly Properties: Readonly<Record<string, unknown>>;
  readonly DeletionPolicy?: string;
  readonly UpdateReplacePolicy?: string;
  readonly DependsOn?: readonly string[];
}

const templates = new Map<EnvironmentName, Template>();

/** The template of an environment, as cdk.json has it. */
export function templateOf(name: EnvironmentName): Template {
  const known = templates.get(name) ?? Template.fromStack(new EngineStack(new App({ context }), environmentOf(name)));
  templates.set(name, known);
  return known;
}

/** An engine in a stack of somebody's own, and whatever else they put there. */
export function templateWith(
  props: Partial<KagziEngineProps>,
  more: (stack: Stack, engine: KagziEngine) => void = () => undefined,
): Template {
  const stack = new Stack(new App({ context }), 'own');
  more(stack, new KagziEngine(stack, 'Engine', { environmentName: 'own', ...props }));
  return Template.fromStack(stack);
}

export const resources = (template: Template, type: string): readonly Resource[] =>
  Object.values(template.findResources(type)) as unknown as Resource[];

export function named(template: Template, type: string, property: string, name: string): Resource {
  const found = resources(template, type).find(({ Properties }) => Properties[property] === name);
  if (found === undefined) throw new Error(`there is no ${type} whose ${property} is ${name}`);
  return found;
}

/** A value of CloudFormation as text: `<LogicalId.Arn>/*`. */
export function flat(value: unknown): string {
  if (typeof value === 'string') return value;
  const [name, argument] = Object.entries(value as Record<string, unknown>)[0] ?? [];
  if (name === 'Ref') return `<${String(argument)}>`;
  if (name === 'Fn::GetAtt') return `<${(argument as readonly string[]).join('.')}>`;
  if (name === 'Fn::Join') {
    const [separator, parts] = argument as [string, readonly unknown[]];
    return parts.map(flat).join(separator);
  }
  throw new Error(`cannot show ${JSON.stringify(value)}`);
}
