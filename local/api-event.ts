import type { IncomingMessage } from 'node:http';
import type { Call } from '../functions/api/call.ts';
import { findCall } from '../functions/api/find-call.ts';
import type { ApiEvent } from '../functions/api/request-context.ts';
import { routeKey } from '../functions/api/routes.ts';

export interface RoutedRequest {
  readonly call: Call | null;
  readonly params: Readonly<Record<string, string>>;
  readonly path: string;
  readonly query: string;
}

export function routeRequest(method: string, url: string): RoutedRequest {
  const mark = url.indexOf('?');
  const path = mark < 0 ? url : url.slice(0, mark);
  const query = mark < 0 ? '' : url.slice(mark + 1);
  return { ...(findCall(method, path) ?? { call: null, params: {} }), path, query };
}

/** The event API Gateway would send (HTTP API, payload version 2.0). */
export function apiEvent(request: IncomingMessage, routed: RoutedRequest, body: string, now: number): ApiEvent {
  const method = request.method ?? 'GET';
  const key = routed.call === null ? '$default' : routeKey(routed.call);
  const query = queryParameters(routed.query);
  return {
    version: '2.0',
    routeKey: key,
    rawPath: routed.path,
    rawQueryString: routed.query,
    headers: joined(request),
    ...(Object.keys(query).length === 0 ? {} : { queryStringParameters: query }),
    ...(Object.keys(routed.params).length === 0 ? {} : { pathParameters: { ...routed.params } }),
    requestContext: {
      accountId: 'local',
      apiId: 'local',
      domainName: request.headers.host ?? 'localhost',
      domainPrefix: 'local',
      http: {
        method,
        path: routed.path,
        protocol: `HTTP/${request.httpVersion}`,
        sourceIp: request.socket.remoteAddress ?? '',
        userAgent: request.headers['user-agent'] ?? '',
      },
      requestId: '',
      routeKey: key,
      stage: '$default',
      time: new Date(now).toISOString(),
      timeEpoch: now,
    },
    ...(body === '' ? {} : { body }),
    isBase64Encoded: false,
  };
}

/** A parameter given twice arrives as one, joined by a comma, as API Gateway does it. */
function queryParameters(query: string): Record<string, string> {
  const found = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(query)) {
    const before = found.get(name);
    found.set(name, before === undefined ? value : `${before},${value}`);
  }
  return Object.fromEntries(found);
}

const joined = ({ headers }: IncomingMessage): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(',') : (value ?? '')]),
  );
