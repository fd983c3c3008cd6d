import type { MiddlewareObj } from '@middy/core';
import type { ApiEvent, ApiParts, ApiResult, RequestContext } from './request-context.ts';
import { requestIds } from './request-ids.ts';

/** Gives every request its ids: in its log lines, in the answer's headers, and in the one line that sums it up. */
export function identify(parts: ApiParts): MiddlewareObj<ApiEvent, ApiResult> {
  return {
    before: ({ event, context }) => {
      const request = context as unknown as RequestContext;
      request.ids = requestIds(event, parts.engine.ids, parts.xrayHeader?.());
      request.engine = { ...parts.engine, telemetry: parts.telemetryFor(request.ids), trace: request.ids.trace };
      request.since = parts.engine.clock.monotonic();
    },
    after: ({ event, context, response }) => {
      const { ids, engine, since } = context as unknown as RequestContext;
      if (response === null) return;
      const status = response.statusCode ?? 200;
      engine.telemetry.log(status >= 500 ? 'warn' : 'info', 'request', {
        route: event.routeKey,
        status,
        ms: Math.round(engine.clock.monotonic() - since),
        ...idsOf(event),
      });
      response.headers = {
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        'x-correlation-id': ids.correlationId,
        'x-trace-id': ids.trace.id,
        ...response.headers,
      };
    },
  };
}

/** What to look for when somebody asks what became of a run. */
function idsOf({ pathParameters = {} }: ApiEvent): Record<string, string> {
  const named = ['namespace', 'run_id', 'worker_id', 'task_queue'].map((name) => [name, pathParameters[name]] as const);
  return Object.fromEntries(
    named.flatMap(([name, value]) => (value === undefined ? [] : [[name, value.slice(0, 64)]])),
  );
}
