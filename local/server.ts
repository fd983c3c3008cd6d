import { createApiHandler } from '../functions/api/create-api-handler.ts';
import { FEATURES } from '../functions/api/features.ts';
import packageFile from '../package.json' with { type: 'json' };
import { servedHere } from '../sdk/worker/served-here.ts';
import type { Telemetry } from '../shared/ports/telemetry.ts';
import { isDraining } from '../shared/store/drain.ts';
import { SystemClock } from '../shared/system/system-clock.ts';
import { startBackground } from './background.ts';
import { ConsolePage } from './console-page.ts';
import { type EmbeddedEngine, engineConfig, openEmbeddedEngine } from './embedded-engine.ts';
import { startHttpServer } from './http-server.ts';
import { Logger } from './logger.ts';
import { MetricsHistory, SAMPLE_MS } from './metrics-history.ts';
import { METRICS, PrometheusMetrics } from './prometheus.ts';
import { queueGauges, queueTotals } from './queue-gauges.ts';
import { repeat } from './repeat.ts';
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
  const history = new MetricsHistory(new SystemClock(), METRICS);
  const logger = new Logger({ level: settings.logLevel, format: settings.logFormat, now: Date.now, write });
  const telemetryWith = (log: Logger) => ({
    count: (...counted: Parameters<Telemetry['count']>) => {
      metrics.count(...counted);
      history.count(counted[0], counted[1]);
    },
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
      features: [...FEATURES, 'metrics', 'metrics-history'],
      servedHere: (namespace) => servedHere(embedded.engine, namespace),
      metrics: async () => ({ contentType: metrics.contentType, text: await metrics.render() }),
      metricsHistory: () => history.read(),
    },
    telemetryFor: ({ correlationId, trace }) =>
      telemetryWith(logger.with({ correlation_id: correlationId, trace_id: trace.id })),
  });
  try {
    const page = new ConsolePage(() => ({ name: 'local', url: '' }));
    const http = await startHttpServer({ settings, handler, clock: embedded.engine.clock, page });
    const background = await startBackground(embedded, { watchdogIntervalMs: settings.watchdogIntervalSecs * 1000 });
    const sampling = repeat(embedded.engine, 'the sampling of metrics', SAMPLE_MS, async () =>
      history.measure(await queueTotals(embedded)),
    );
    return {
      url: http.url,
      embedded,
      draining: await isDraining(embedded.engine),
      async stop() {
        await http.stop(settings.shutdownGraceSecs * 1000);
        await Promise.all([background.stop(), sampling.stop()]);
        await embedded.close();
      },
    };
  } catch (error) {
    await embedded.close();
    throw error;
  }
}
