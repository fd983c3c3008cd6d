import type { TokenRule } from '../http/token-issuer.ts';
import { ACCOUNT, REGION } from './physical-resource.ts';
import { mayInvoke } from './read-permissions.ts';
import type { ResolvedTemplate } from './resolve-template.ts';

export interface DeclaredRoute {
  readonly key: string;
  readonly functionArn: string;
  readonly authorization:
    | { readonly kind: 'NONE' }
    | { readonly kind: 'AWS_IAM' }
    | { readonly kind: 'JWT'; readonly rule: TokenRule };
}

export interface HttpApi {
  readonly apiId: string;
  readonly stage: string;
  readonly routes: readonly DeclaredRoute[];
}

interface RouteProperties {
  readonly RouteKey: string;
  readonly Target: string;
  readonly AuthorizationType?: string;
  readonly AuthorizerId?: string;
}
interface AuthorizerProperties {
  readonly AuthorizerType: string;
  readonly IdentitySource: readonly string[];
  readonly JwtConfiguration: { readonly Issuer: string; readonly Audience: readonly string[] };
}

const BEARER = '$request.header.Authorization';

/** The one HTTP API of a template. A route whose function does not let the API in is an error here. */
export function readHttpApi(template: ResolvedTemplate): HttpApi {
  const [api] = template.ofType('AWS::ApiGatewayV2::Api');
  const [stage] = template.ofType('AWS::ApiGatewayV2::Stage');
  if (api === undefined || stage === undefined) throw new Error('the template has no HTTP API with a stage');
  const routes = template.ofType('AWS::ApiGatewayV2::Route').map(({ properties }) => {
    const given = properties as unknown as RouteProperties;
    const functionArn = integrationOf(template, given.Target);
    const [verb = '', path = ''] = given.RouteKey.split(' ');
    const source = `arn:aws:execute-api:${REGION}:${ACCOUNT}:${api.ref}/${stage.ref}/${verb}${path}`;
    if (!mayInvoke(template, { service: 'apigateway.amazonaws.com', source, functionArn })) {
      throw new Error(`${given.RouteKey}: API Gateway may not invoke ${functionArn}`);
    }
    return { key: given.RouteKey, functionArn, authorization: authorizationOf(template, given) };
  });
  return { apiId: api.ref, stage: stage.ref, routes };
}

function integrationOf(template: ResolvedTemplate, target: string): string {
  const found = template.ofType('AWS::ApiGatewayV2::Integration').find(({ ref }) => target === `integrations/${ref}`);
  const { IntegrationUri, PayloadFormatVersion } = found?.properties ?? {};
  if (PayloadFormatVersion !== '2.0') throw new Error(`${target} is no integration with payload version 2.0`);
  return String(IntegrationUri);
}

function authorizationOf(
  template: ResolvedTemplate,
  { RouteKey, AuthorizationType = 'NONE', AuthorizerId }: RouteProperties,
): DeclaredRoute['authorization'] {
  if (AuthorizationType === 'NONE' || AuthorizationType === 'AWS_IAM') return { kind: AuthorizationType };
  const found = template.ofType('AWS::ApiGatewayV2::Authorizer').find(({ ref }) => ref === AuthorizerId);
  const { IdentitySource, JwtConfiguration } = (found?.properties ?? {}) as unknown as AuthorizerProperties;
  if (AuthorizationType !== 'JWT' || found === undefined || IdentitySource.join() !== BEARER) {
    throw new Error(`${RouteKey}: the test bed does not know its authorizer`);
  }
  return { kind: 'JWT', rule: { issuer: JwtConfiguration.Issuer, audience: JwtConfiguration.Audience } };
}
