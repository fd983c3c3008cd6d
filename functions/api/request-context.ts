import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import type { Telemetry } from '../../shared/ports/telemetry.ts';
import type { Engine } from '../../shared/store/engine.ts';
import type { ApiService } from './call.ts';
import type { RequestIds } from './request-ids.ts';

/** Who has decided what the caller may do: the front, before the request came here, or a claim of the caller's token. */
export type Authorisation = { readonly by: 'front' } | { readonly by: 'claim'; readonly claim: string };

export interface ApiParts {
  readonly engine: Engine;
  readonly service: ApiService;
  /** By the front, if not given. */
  readonly authorisation?: Authorisation;
  /** A telemetry whose lines carry the ids of the request. */
  readonly telemetryFor: (ids: RequestIds) => Telemetry;
  /** The trace that X-Ray has the request in, as the front tells it. */
  readonly xrayHeader?: () => string | undefined;
}

/** What the local server adds to a Lambda context: whether the caller still waits. */
export interface CallerContext {
  readonly signal?: AbortSignal;
  /** What the front found wrong with the request before it got here: it is answered and logged like any other error. */
  readonly refusal?: unknown;
}

/** What the middlewares add to it. */
export interface RequestContext extends CallerContext {
  ids: RequestIds;
  /** Its telemetry carries the ids. */
  engine: Engine;
  since: number;
}

export type ApiEvent = APIGatewayProxyEventV2;
export type ApiResult = APIGatewayProxyStructuredResultV2;
