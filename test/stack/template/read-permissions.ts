import type { ResolvedTemplate } from './resolve-template.ts';

interface PermissionProperties {
  readonly FunctionName: string;
  readonly Principal: string;
  readonly SourceArn?: string;
}

/** Whether a service may invoke a function for something of its own, by the permissions of the template. */
export function mayInvoke(
  template: ResolvedTemplate,
  { service, source, functionArn }: { readonly service: string; readonly source: string; readonly functionArn: string },
): boolean {
  const name = functionArn.split(':').at(-1);
  return template.ofType('AWS::Lambda::Permission').some(({ properties }) => {
    const { FunctionName, Principal, SourceArn } = properties as unknown as PermissionProperties;
    const isForIt = FunctionName === functionArn || FunctionName === name;
    return isForIt && Principal === service && (SourceArn === undefined || isLike(SourceArn, source));
  });
}

/** As ArnLike compares. */
function isLike(pattern: string, arn: string): boolean {
  const escaped = pattern
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replace(/\*/g, '.*')
    .replace(/\?/g, '.');
  return new RegExp(`^${escaped}$`).test(arn);
}
