import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import {
  HttpApi as GatewayApi,
  HttpMethod,
  HttpNoneAuthorizer,
  HttpStage,
  type IHttpRouteAuthorizer,
  LogGroupLogDestination,
} from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpIamAuthorizer, HttpJwtAuthorizer } from 'aws-cdk-lib/aws-apigatewayv2-authorizers';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import { Grant, type IGrantable } from 'aws-cdk-lib/aws-iam';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { type ApiAuth, authEnvironment } from './api-auth.ts';
import { checkNamespaces } from './check-namespaces.ts';
import { EngineFunction } from './engine-function.ts';
import { PERIOD } from './engine-metric.ts';
import type { EngineResources } from './engine-resources.ts';
import { explainFinding } from './explain-finding.ts';
import type { Observation } from './observation.ts';

/** Just under the 30 seconds after which an HTTP API gives up; a poll waits for 20 at most. */
const TIMEOUT = Duration.seconds(29);
export const STAGE = '$default';

/** Anybody who reaches it may ask whether it serves, and how it is called. */
const OPEN_PATHS = ['/health', '/ready', '/info', '/openapi.json'];
/**
 * Everything else needs proof. The function knows the calls; here stands as much of a path as a policy binds to:
 * `execute-api:Invoke` on `…/v1/shop/*` is one namespace.
 */
const GUARDED_PATHS = ['/v1/{namespace}/{proxy+}', '/v1/namespaces', '/admin/{proxy+}', '/metrics'];

const OPEN_REASON =
  'Says whether it serves, its version and its calls: what probes and clients ask before they can sign.';

const ACCESS_LOG = AccessLogFormat.custom(
  JSON.stringify({
    requestId: '$context.requestId',
    time: '$context.requestTimeEpoch',
    ip: '$context.identity.sourceIp',
    caller: '$context.identity.caller',
    subject: '$context.authorizer.claims.sub',
    method: '$context.httpMethod',
    route: '$context.routeKey',
    status: '$context.status',
    bytes: '$context.responseLength',
    ms: '$context.responseLatency',
    authorizerError: '$context.authorizer.error',
    error: '$context.error.message',
  }),
);

export interface HttpApiProps {
  readonly resources: EngineResources;
  readonly observation: Observation;
  readonly auth: ApiAuth;
  readonly ratePerSecond: number;
  readonly burst: number;
  readonly reservedConcurrency?: number | undefined;
}

/** The HTTP API and the function behind it. */
export class HttpApi extends Construct {
  readonly api: GatewayApi;
  readonly stage: HttpStage;
  readonly url: string;
  readonly function: LambdaFunction;
  readonly #integration: HttpLambdaIntegration;

  constructor(scope: Construct, id: string, props: HttpApiProps) {
    super(scope, id);
    const { resources, observation, auth, ratePerSecond, burst } = props;
    const name = `kagzi-${resources.environmentName}`;
    this.function = new EngineFunction(this, 'Api', {
      functionName: 'api',
      description: 'Every call of the HTTP API',
      resources,
      observation,
      timeout: TIMEOUT,
      memorySize: 512,
      reservedConcurrency: props.reservedConcurrency,
      environment: authEnvironment(auth),
    }).function;
    this.#integration = new HttpLambdaIntegration('Function', this.function);
    this.api = new GatewayApi(this, 'Gateway', { apiName: name, createDefaultStage: false });
    const accessLog = new LogGroup(this, 'AccessLog', {
      logGroupName: `/aws/apigateway/${name}`,
      retention: observation.logRetention,
      removalPolicy: RemovalPolicy.DESTROY,
      ...(resources.encryptionKey !== null && { encryptionKey: resources.encryptionKey }),
    });
    this.stage = new HttpStage(this, 'Stage', {
      httpApi: this.api,
      stageName: STAGE,
      autoDeploy: true,
      throttle: { rateLimit: ratePerSecond, burstLimit: burst },
      accessLogSettings: { destination: new LogGroupLogDestination(accessLog), format: ACCESS_LOG },
    });
    this.url = this.stage.url.replace(/\/$/, '');
    observation.alarm(this, 'api-5xx', {
      metric: this.stage.metricServerError({ period: PERIOD }),
      threshold: 5,
      periods: 2,
      summary: 'The API answers with 5xx.',
      section: 'api-errors',
    });
    this.#route(OPEN_PATHS, HttpMethod.GET, new HttpNoneAuthorizer());
    this.#route(GUARDED_PATHS, HttpMethod.ANY, authorizerOf(auth));
  }

  /** May make every call on these namespaces; on all, and those of administrators, if none are given. */
  grantCall(grantee: IGrantable, { namespaces }: { readonly namespaces?: readonly string[] } = {}): Grant {
    checkNamespaces(namespaces);
    const paths = namespaces?.map((namespace) => `/v1/${namespace}/*`) ?? ['/*'];
    return Grant.addToPrincipal({
      grantee,
      actions: ['execute-api:Invoke'],
      resourceArns: paths.map((path) => this.api.arnForExecuteApi('*', path, STAGE)),
    });
  }

  #route(paths: readonly string[], method: HttpMethod, authorizer: IHttpRouteAuthorizer): void {
    for (const path of paths) {
      const routes = this.api.addRoutes({ path, methods: [method], authorizer, integration: this.#integration });
      if (authorizer instanceof HttpNoneAuthorizer) {
        for (const route of routes) explainFinding(route, 'APIG4', OPEN_REASON);
      }
    }
  }
}

const authorizerOf = (auth: ApiAuth): IHttpRouteAuthorizer =>
  auth.mode === 'iam'
    ? new HttpIamAuthorizer()
    : new HttpJwtAuthorizer('Tokens', auth.issuer, { jwtAudience: [...auth.audience] });
