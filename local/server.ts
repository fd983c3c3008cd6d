import { createApiHandler } from '../functions/api/create-api-handler.ts';
import { FEATURES } from '../functions/api/features.ts';
import packageFile from '../package.json' with { type: 'json' };
import { servedHere } from '../sdk/worker/served-here.ts';
import { isDraining } from '../shared/store/drain.ts';
import { startBackground } from './background.ts';
import { type EmbeddedEngine, engineConfig, openEmbeddedEngine } from './embedded-engine.ts';
import { startHttpServer } from './http-server.ts';
import { Logger } from './logger.ts';
import { PrometheusMetrics } from './prometheus.ts';
import { queueGauges } from './queue-gauges.ts';
import type { Settings } from './settings.ts';

export interface LocalServer {
  readonly url: string;
  readonly embedded: EmbeddedEngine;
  readonly draining: boolean;
  stop(): Promise<void>;
}

/** The one-machine server: the embedded engine, its background jobs and the HTTP API. */
export async function startServer(settings: Settings, write: (line: string) => void): Promise<LocalServer> {
  const metrics = new PrometheusMetrics();
  const logger = new Logger({ level: settings.logLevel, format: settings.logFormat, now: Date.now, write });
  const telemetryWith = (log: Logger) => ({
    count: metrics.count.bind(metrics),
    log: log.log.bind(log),
  });
  const embedded = openEmbeddedEngine(settings.dataDir, {
    config: engineConfig(settings),
    maxReceives: settings.queueMaxReceives,
    telemetry: telemetryWith(logger),
  });
  queueGauges(metrics, embedded);
  const handler = createApiHandler({
    engine: embedded.engine,
    service: {
      version: packageFile.version,
      features: [...FEATURES, 'metrics'],
      servedHere: (namespace, taskQueue) => servedHere(embedded.engine, namespace, taskQueue),
      metrics: async () => ({ contentType: metrics.contentType, text: await metrics.render() }),
    },
    telemetryFor: ({ correlationId, traceId }) =>
      telemetryWith(logger.with({ correlation_id: correlationId, trace_id: traceId })),
  });
  try {
    const http = await startHttpServer({ settings, handler, clock: embedded.engine.clock });
    const background = await startBackground(embedded, { watchdogIntervalMs: settings.watchdogIntervalSecs * 1000 });
    return {
      url: http.url,
      embedded,
      draining: await isDraining(embedded.engine),
      async stop() {
        await http.stop(settings.shutdownGraceSecs * 1000);
        await background.stop();
        await embedded.close();
      },
    };
  } catch (error) {
    await embedded.close();
    throw error;
  }
}
