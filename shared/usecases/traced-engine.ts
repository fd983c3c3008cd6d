import type { RequestTrace } from '../model/request-trace.ts';
import type { Engine } from '../store/engine.ts';

/** The same engine for one piece of work: its lines name the trace, and its messages carry it on. */
export function tracedEngine(engine: Engine, trace: RequestTrace | null): Engine {
  if (trace === null) return engine;
  const { telemetry } = engine;
  return {
    ...engine,
    trace,
    telemetry: {
      count: (metric, value, labels) => telemetry.count(metric, value, labels),
      log: (level, message, fields) => telemetry.log(level, message, { ...fields, trace_id: trace.id }),
    },
  };
}
