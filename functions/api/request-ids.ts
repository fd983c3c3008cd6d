import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type { Ids } from '../../shared/ports/ids.ts';

export interface RequestIds {
  readonly correlationId: string;
  readonly traceId: string;
}

const SAFE = /^[\w.:/-]{1,128}$/;

/** The caller's, so that its log and ours meet; else new ones. */
export function requestIds(event: APIGatewayProxyEventV2, ids: Ids): RequestIds {
  const given = event.headers['x-correlation-id'] ?? event.headers['x-request-id'] ?? '';
  const [, traceId] =
    /^00-(?!0{32})([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}$/.exec(event.headers['traceparent'] ?? '') ?? [];
  return {
    correlationId: SAFE.test(given) ? given : ids.token(),
    traceId: traceId ?? Buffer.from(ids.token(), 'base64url').toString('hex').slice(0, 32),
  };
}
