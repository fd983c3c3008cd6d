import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { type RequestTrace, traceOfTraceparent, traceOfXray } from '../../shared/model/request-trace.ts';
import type { Ids } from '../../shared/ports/ids.ts';

export interface RequestIds {
  readonly correlationId: string;
  readonly trace: RequestTrace;
}

const SAFE = /^[\w.:/-]{1,128}$/;

/** The caller's, so that its log and ours meet; else new ones. */
export function requestIds(event: APIGatewayProxyEventV2, ids: Ids, xrayHeader = ''): RequestIds {
  const given = event.headers['x-correlation-id'] ?? event.headers['x-request-id'] ?? '';
  return {
    correlationId: SAFE.test(given) ? given : ids.token(),
    trace: traceOfTraceparent(event.headers['traceparent'] ?? '') ?? traceOfXray(xrayHeader) ?? { id: newTraceId(ids) },
  };
}

const newTraceId = (ids: Ids): string => Buffer.from(ids.token(), 'base64url').toString('hex').slice(0, 32);
