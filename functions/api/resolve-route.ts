import { findCall } from './find-call.ts';
import type { ApiEvent } from './request-context.ts';
import { ROUTES, routeKey } from './routes.ts';

const KNOWN: ReadonlySet<string> = new Set(ROUTES.map(routeKey));

/**
 * The event with the route of its call. API Gateway knows only as much of a path as policies bind to, so the call is
 * found by the path. The namespace is taken as it stands there, as the policy saw it: in another encoding it is none.
 */
export function resolveRoute(event: ApiEvent): ApiEvent {
  if (KNOWN.has(event.routeKey)) return event;
  const found = findCall(event.requestContext.http.method, event.rawPath);
  if (found === null) return event;
  const { namespace, ...params } = found.params;
  const verbatim = namespace === undefined ? {} : { namespace: event.rawPath.split('/')[2] ?? '' };
  return { ...event, routeKey: routeKey(found.call), pathParameters: { ...params, ...verbatim } };
}
