import { randomUUID } from 'node:crypto';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type { RawRequest } from '../../helpers/verify-sigv4.ts';
import { ACCOUNT } from '../template/physical-resource.ts';

export interface RoutedRequest {
  readonly request: RawRequest;
  readonly routeKey: string;
  readonly params: Readonly<Record<string, string>>;
  readonly apiId: string;
  readonly authorizer: Readonly<Record<string, unknown>> | null;
}

/** An HTTP API hands paths on decoded. Null for one that cannot be. */
export function decodedPath(target: string): string | null {
  try {
    return decodeURIComponent(target.split('?')[0] ?? '');
  } catch {
    return null;
  }
}

/** What an HTTP API sends to a function, payload version 2.0. */
export function gatewayEvent({ request, routeKey, params, apiId, authorizer }: RoutedRequest): APIGatewayProxyEventV2 {
  const path = decodedPath(request.target) ?? '';
  const query = request.target.includes('?') ? request.target.slice(request.target.indexOf('?') + 1) : '';
  const headers = joinedHeaders(request.headers);
  const queryStringParameters = joined([...new URLSearchParams(query)]);
  const now = Date.now();
  const event = {
    version: '2.0',
    routeKey,
    rawPath: path,
    rawQueryString: query,
    headers,
    ...(query === '' ? {} : { queryStringParameters }),
    ...(Object.keys(params).length === 0 ? {} : { pathParameters: { ...params } }),
    requestContext: {
      accountId: ACCOUNT,
      apiId,
      domainName: headers['host'] ?? '',
      domainPrefix: apiId,
      ...(authorizer === null ? {} : { authorizer }),
      http: {
        method: request.method,
        path,
        protocol: 'HTTP/1.1',
        sourceIp: '127.0.0.1',
        userAgent: headers['user-agent'] ?? '',
      },
      requestId: randomUUID(),
      routeKey,
      stage: '$default',
      time: new Date(now).toISOString(),
      timeEpoch: now,
    },
    ...bodyOf(request, headers['content-type'] ?? ''),
  };
  return event as APIGatewayProxyEventV2;
}

/** Text and JSON as they are, everything else in base64. */
function bodyOf({ body }: RawRequest, type: string): { readonly body?: string; readonly isBase64Encoded: boolean } {
  const bytes = Buffer.from(body);
  if (bytes.byteLength === 0) return { isBase64Encoded: false };
  const isText = type === '' || /^(text\/|application\/(json|javascript|xml|[\w.-]+\+(json|xml)))/i.test(type);
  return isText
    ? { body: bytes.toString('utf8'), isBase64Encoded: false }
    : { body: bytes.toString('base64'), isBase64Encoded: true };
}

const joinedHeaders = (headers: RawRequest['headers']): Record<string, string> =>
  joined(headers.map(([name, value]) => [name.toLowerCase(), value]));

function joined(pairs: readonly (readonly [string, string])[]): Record<string, string> {
  const found = new Map<string, string>();
  for (const [name, value] of pairs) {
    const before = found.get(name);
    found.set(name, before === undefined ? value : `${before},${value}`);
  }
  return Object.fromEntries(found);
}
