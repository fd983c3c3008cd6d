import { Stack, Validations } from 'aws-cdk-lib';
import type { Construct } from 'constructs';

/** A finding of cdk-nag's AwsSolutions that is as it should be, and why. */
export function explainFinding(construct: Construct, rule: string, reason: string): void {
  Validations.of(construct).acknowledge({ id: `AwsSolutions::AwsSolutions-${rule}`, reason });
}

/** A text of CloudFormation as findings show it. */
export function asFound(scope: Construct, text: string): string {
  return flatten(Stack.of(scope).resolve(text));
}

function flatten(value: unknown): string {
  if (typeof value === 'string') return value;
  const [name, argument] = Object.entries(value as Record<string, unknown>)[0] ?? [];
  if (name === 'Ref') return `<${String(argument)}>`;
  if (name === 'Fn::GetAtt') return `<${(argument as readonly string[]).join('.')}>`;
  if (name === 'Fn::Join') {
    const [separator, parts] = argument as [string, readonly unknown[]];
    return parts.map(flatten).join(separator);
  }
  throw new Error(`cannot show ${JSON.stringify(value)}`);
}
